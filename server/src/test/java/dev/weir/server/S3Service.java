package dev.weir.server;

import dev.weir.objects.s3.testing.FakeS3;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;

/** A service in this process, with the credentials that the standard chain finds, and its nodes. */
final class S3Service implements AutoCloseable {
  static final String STORE = "s3://bucket/prefix";

  private static final String KEY = "aws.accessKeyId";
  private static final String SECRET = "aws.secretAccessKey";

  final FakeS3 service = new FakeS3();

  S3Service() throws IOException {
    System.setProperty(KEY, "key");
    System.setProperty(SECRET, "secret");
  }

  URI endpoint() {
    return service.endpoint();
  }

  /** A node that flushes when it is asked to. */
  NodeFixture start(Path data, long stagingBytes, boolean takesOver) throws IOException {
    StorageSettings settings =
        new StorageSettings(
            STORE,
            endpoint(),
            StorageSettings.SHARE,
            StorageSettings.SHARE,
            Duration.ofHours(1),
            /* flushBytes= */ 64 << 20,
            stagingBytes,
            takesOver,
            /* withoutWal= */ false,
            /* scrubEvery= */ null);
    return new NodeFixture(
        data,
        NodeFixture.BUDGET_BYTES,
        NodeParts.forBudget(NodeFixture.BUDGET_BYTES).keeping(settings));
  }

  @Override
  public void close() {
    service.close();
    System.clearProperty(KEY);
    System.clearProperty(SECRET);
  }
}
