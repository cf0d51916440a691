package dev.weir.replication.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.replication.testing.Proxy;
import dev.weir.replication.testing.TestServer;
import dev.weir.replication.testing.Trees;
import dev.weir.replication.transfer.Progress;
import dev.weir.replication.transfer.TransferException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several servers that have the container. */
class SourcesTest {
  @TempDir private Path folder;

  private Path source;
  private Path target;
  private TestServer server;
  private Proxy damaging;

  @BeforeEach
  void serve() throws Exception {
    source = Files.createDirectory(folder.resolve("photos"));
    target = folder.resolve("target");
    byte[] content = new byte[12 << 20];
    new Random(1).nextBytes(content);
    Files.write(source.resolve("large"), content);
    server = TestServer.of(source, folder.resolve("cache"));
    damaging =
        new Proxy(
            server.port(),
            number ->
                (bytes, count) -> {
                  // Never a head's byte: an answer that is no HTTP is a lost connection.
                  if (count == bytes.length) {
                    bytes[count - 1] ^= 1;
                  }
                  return count;
                });
  }

  @AfterEach
  void stop() throws Exception {
    damaging.close();
    server.close();
  }

  private FetchOptions from(InetSocketAddress first, InetSocketAddress second) {
    return FetchOptions.of(first, "photos", target)
        .over(2)
        .orFrom(List.of(new SourceAddress(second, "photos", null)));
  }

  private void assertCopied() throws Exception {
    assertThat(Trees.describe(target.resolve("photos"))).isEqualTo(Trees.describe(source));
  }

  @Test
  void whatOneSendsWrongTwiceComesFromTheNext() throws Exception {
    Progress progress = new Progress();
    Fetch.run(from(damaging.address(), server.address()), progress);
    assertCopied();
    assertThat(progress.badChunks()).isPositive();
  }

  @Test
  void whatAllSendWrongIsNamed() throws Exception {
    assertThatThrownBy(
            () -> Fetch.run(from(damaging.address(), damaging.address()), new Progress()))
        .isInstanceOfSatisfying(
            TransferException.class,
            e -> assertThat(e.reason()).isEqualTo(TransferException.Reason.CORRUPT))
        .hasMessageContaining(
            "the file 'large' is corrupt at 127.0.0.1:%1$d and 127.0.0.1:%1$d:"
                .formatted(damaging.address().getPort()));
  }

  @Test
  void theNextIsAskedWhereTheFirstIsAway() throws Exception {
    Proxy gone = new Proxy(server.port(), number -> (bytes, count) -> count);
    gone.close();
    Fetch.run(from(gone.address(), server.address()), new Progress());
    assertCopied();
  }

  @Test
  void oneWithAnotherContentIsNotUsed() throws Exception {
    Path other = Files.createDirectories(folder.resolve("other/photos"));
    Files.write(other.resolve("large"), new byte[] {1});
    try (TestServer another = TestServer.of(other, folder.resolve("cache2"))) {
      assertThatThrownBy(
              () -> Fetch.run(from(damaging.address(), another.address()), new Progress()))
          .hasMessageContaining("the file 'large' is corrupt at");
    }
  }
}
