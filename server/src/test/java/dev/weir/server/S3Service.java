package dev.weir.server;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;

/** A service, with credentials that the standard chain finds, and its nodes. */
final class S3Service implements AutoCloseable {
  private static final String STORE = "s3://bucket/prefix";

  private static final String KEY = "aws.accessKeyId";
  private static final String SECRET = "aws.secretAccessKey";

  private final URI endpoint;
  private final Runnable ending;

  /** Over a service, which {@code ending} stops. */
  S3Service(URI endpoint, Runnable ending) {
    this.endpoint = endpoint;
    this.ending = ending;
    System.setProperty(KEY, "key");
    System.setProperty(SECRET, "secret");
  }

  /** A node that flushes when it is asked to. */
  NodeFixture start(Path data, long stagingBytes, boolean takesOver) throws IOException {
    StorageSettings settings =
        new StorageSettings(
            STORE,
            endpoint,
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
    ending.run();
    System.clearProperty(KEY);
    System.clearProperty(SECRET);
  }
}
