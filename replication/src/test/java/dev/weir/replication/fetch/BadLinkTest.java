package dev.weir.replication.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.replication.testing.Proxy;
import dev.weir.replication.testing.TestServer;
import dev.weir.replication.testing.Trees;
import dev.weir.replication.transfer.Progress;
import dev.weir.replication.transfer.TransferException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links and sources that cut, damage, stall or babble. */
class BadLinkTest {
  private static final int BYTES = 24 << 20;

  @TempDir private Path folder;

  private Path source;
  private Path target;
  private TestServer server;

  @BeforeEach
  void serve() throws Exception {
    source = Files.createDirectory(folder.resolve("photos"));
    target = folder.resolve("target");
    byte[] content = new byte[BYTES];
    new Random(1).nextBytes(content);
    Files.write(source.resolve("large"), content);
    server = TestServer.of(source, folder.resolve("cache"));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private FetchOptions over(Proxy proxy) {
    return FetchOptions.of(proxy.address(), "photos", target).over(1);
  }

  private static boolean isBody(byte[] bytes, int count) {
    // The manifest is short. A whole buffer may begin with a head, but does not end with it.
    return count == bytes.length;
  }

  @Test
  void aLinkThatIsCutAgainAndAgainIsGoneOnWith() throws Exception {
    Progress progress = new Progress();
    try (Proxy proxy =
        new Proxy(
            server.port(),
            number -> {
              AtomicInteger left = new AtomicInteger(5 << 20);
              return (bytes, count) -> Math.max(0, Math.min(count, left.getAndAdd(-count)));
            })) {
      Fetch.run(over(proxy), progress);
    }
    assertThat(Trees.describe(target.resolve("photos"))).isEqualTo(Trees.describe(source));
    assertThat(progress.lostConnections()).isGreaterThanOrEqualTo(4);
    // A chunk at most is sent again for each cut.
    assertThat(progress.receivedBytes())
        .isLessThanOrEqualTo(progress.totalBytes() + (progress.lostConnections() << 20));
  }

  @Test
  void aChunkThatIsDamagedOnceIsFetchedAgain() throws Exception {
    AtomicInteger bodies = new AtomicInteger();
    Progress progress = new Progress();
    try (Proxy proxy =
        new Proxy(
            server.port(),
            number ->
                (bytes, count) -> {
                  if (isBody(bytes, count) && bodies.incrementAndGet() == 20) {
                    bytes[count - 1] ^= 1;
                  }
                  return count;
                })) {
      Fetch.run(over(proxy), progress);
    }
    assertThat(Trees.describe(target.resolve("photos"))).isEqualTo(Trees.describe(source));
    assertThat(progress.badChunks()).isEqualTo(1);
  }

  @Test
  void aChunkThatIsDamagedTwiceIsNamed() throws Exception {
    try (Proxy proxy =
        new Proxy(
            server.port(),
            number ->
                (bytes, count) -> {
                  if (isBody(bytes, count)) {
                    bytes[count - 1] ^= 1;
                  }
                  return count;
                })) {
      assertThatThrownBy(() -> Fetch.run(over(proxy), new Progress()))
          .isInstanceOfSatisfying(
              TransferException.class,
              e -> assertThat(e.reason()).isEqualTo(TransferException.Reason.CORRUPT))
          .hasMessageContaining(
              "the file 'large' is corrupt at 127.0.0.1:" + proxy.address().getPort());
    }
    assertThat(target.resolve("photos")).doesNotExist();
  }

  @Test
  void aSourceThatSendsNothingIsLeft() throws Exception {
    try (Proxy proxy =
        new Proxy(
            server.port(),
            number ->
                (bytes, count) -> {
                  try {
                    new CountDownLatch(1).await();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                  return 0;
                })) {
      assertThatThrownBy(
              () -> Fetch.run(over(proxy).waiting(Duration.ofMillis(50)), new Progress()))
          .isInstanceOfSatisfying(
              TransferException.class,
              e -> assertThat(e.reason()).isEqualTo(TransferException.Reason.UNREACHABLE))
          .hasMessageContaining("has sent nothing for 50 ms");
    }
  }

  @Test
  void anAnswerThatIsNoHttpIsNoContainer() throws Exception {
    byte[] garbage = "\0\1\2 this is no answer\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1);
    try (Proxy proxy =
        new Proxy(
            server.port(),
            number ->
                (bytes, count) -> {
                  System.arraycopy(garbage, 0, bytes, 0, garbage.length);
                  return count;
                })) {
      assertThatThrownBy(() -> Fetch.run(over(proxy), new Progress()))
          .isInstanceOfSatisfying(
              TransferException.class,
              e -> assertThat(e.reason()).isEqualTo(TransferException.Reason.UNREACHABLE))
          .hasMessageContaining("is no HTTP");
    }
  }

  @Test
  void aPortThatNobodyListensOnIsUnreachable() throws Exception {
    int port = server.port();
    server.close();
    FetchOptions options =
        FetchOptions.of(new java.net.InetSocketAddress("127.0.0.1", port), "photos", target);
    assertThatThrownBy(() -> Fetch.run(options, new Progress()))
        .isInstanceOfSatisfying(
            TransferException.class,
            e -> assertThat(e.reason()).isEqualTo(TransferException.Reason.UNREACHABLE))
        .hasMessageContaining("refused");
  }
}
