package dev.weir.replication.push;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.replication.fetch.FetchOptions;
import dev.weir.replication.imports.ImportOptions;
import dev.weir.replication.net.RateLimit;
import dev.weir.replication.net.TlsContexts;
import dev.weir.replication.serve.ClientList;
import dev.weir.replication.serve.ReplicationServer;
import dev.weir.replication.serve.ServeOptions;
import dev.weir.replication.source.SourceException;
import dev.weir.replication.testing.Await;
import dev.weir.replication.testing.Proxy;
import dev.weir.replication.testing.TestCertificate;
import dev.weir.replication.testing.TestServer;
import dev.weir.replication.testing.Trees;
import dev.weir.replication.transfer.Progress;
import dev.weir.replication.transfer.TransferException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PushTest {
  @TempDir private Path folder;

  private Path source;
  private Path target;

  @BeforeEach
  void makeDirectories() throws Exception {
    source = Files.createDirectory(folder.resolve("photos"));
    target = folder.resolve("target");
  }

  private PushOptions to(InetSocketAddress server) {
    return PushOptions.of(source, "photos", server, folder.resolve("manifests"));
  }

  private static PushResult push(PushOptions options) throws Exception {
    return Push.run(options, new Progress());
  }

  private static FutureTask<PushResult> start(PushOptions options, Progress progress) {
    FutureTask<PushResult> running = new FutureTask<>(() -> Push.run(options, progress));
    Thread.startVirtualThread(running);
    return running;
  }

  private void write(int bytes) throws Exception {
    byte[] content = new byte[bytes];
    new Random(1).nextBytes(content);
    Files.write(source.resolve("large"), content);
  }

  private void assertCopied() throws Exception {
    assertThat(Trees.describe(target.resolve("photos"))).isEqualTo(Trees.describe(source));
    Await.until(() -> Files.notExists(target.resolve(".weir-incoming/photos")));
  }

  private static void assertFails(
      PushOptions options, TransferException.Reason reason, String message) {
    assertThatThrownBy(() -> push(options))
        .isInstanceOfSatisfying(
            TransferException.class,
            e -> assertThat(e.reason()).as(e.getMessage()).isEqualTo(reason))
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void aTreeIsPushedAsItIs(long seed) throws Exception {
    Trees.create(source, seed);
    Progress progress = new Progress();
    try (TestServer server = TestServer.importing(target)) {
      Push.run(to(server.address()).over(1 + (int) seed % 4), progress);
      assertCopied();
      assertThat(progress.verifiedBytes()).isEqualTo(progress.totalBytes());
      assertThat(server.server().importFigures().repeatedBytes()).isZero();
      Await.until(() -> server.server().liveBytes() == 0);
    }
  }

  @Test
  void manySmallFilesAndBytesBeyondFourGigabytesArrive() throws Exception {
    Files.createDirectory(source.resolve("d"));
    for (int i = 0; i < 700; i++) {
      Files.write(source.resolve("d/" + i), new byte[] {1, (byte) i});
    }
    long gib = 1L << 30;
    long[] offsets = {2 * gib - 50_000, 4 * gib - 50_000, 5 * gib - 50_000};
    byte[] content = new byte[100_000];
    new Random(5).nextBytes(content);
    try (RandomAccessFile sparse =
        new RandomAccessFile(source.resolve("a-sparse").toFile(), "rw")) {
      for (long offset : offsets) {
        sparse.seek(offset);
        sparse.write(content);
      }
      sparse.setLength(5 * gib + (3 << 20));
    }
    Progress progress = new Progress();
    try (TestServer server = TestServer.importing(target)) {
      Push.run(to(server.address()), progress);
    }
    assertThat(progress.sentBytes()).isEqualTo((6L << 20) + 1400);
    try (RandomAccessFile copy =
        new RandomAccessFile(target.resolve("photos/a-sparse").toFile(), "r")) {
      assertThat(copy.length()).isEqualTo(5 * gib + (3 << 20));
      for (long offset : offsets) {
        byte[] copied = new byte[content.length];
        copy.seek(offset);
        copy.readFully(copied);
        assertThat(copied).isEqualTo(content);
      }
    }
    assertThat(target.resolve("photos/d/699")).hasBinaryContent(new byte[] {1, (byte) 699});
  }

  @Test
  void whatIsThereOrOffIsRefused() throws Exception {
    write(100);
    try (TestServer server = TestServer.importing(target)) {
      Files.createDirectory(target.resolve("photos"));
      Progress progress = new Progress();
      assertThatThrownBy(() -> Push.run(to(server.address()), progress))
          .hasMessageContaining("the server answers 409")
          .hasMessageContaining("photos exists");
      assertThat(progress.sentBytes()).isZero();
    }
    try (TestServer server = TestServer.of(source, folder.resolve("cache"))) {
      assertFails(to(server.address()), TransferException.Reason.REFUSED, "imports are off here");
    }
  }

  @Test
  void ofTwoPushesForTheLastRoomOneIsRefusedBeforeAnyByte() throws Exception {
    write(8 << 20);
    RateLimit rate = new RateLimit(1 << 20);
    try (TestServer server =
        TestServer.importing(target, rate, Duration.ofSeconds(30), any -> 10 << 20)) {
      FutureTask<PushResult> running = start(to(server.address()), new Progress());
      Await.until(() -> server.server().importFigures().receivedBytes() > 0);
      PushOptions second =
          PushOptions.of(source, "others", server.address(), folder.resolve("manifests2"));
      Progress refused = new Progress();
      assertThatThrownBy(() -> Push.run(second, refused))
          .hasMessageContaining("the server answers 507")
          .hasMessageContaining("promised to other imports");
      assertThat(refused.sentBytes()).isZero();
      rate.set(0);
      running.get(60, TimeUnit.SECONDS);
      assertCopied();
      push(second);
    }
  }

  @Test
  void aSecondPushGoesOnWhereTheFirstHasEnded() throws Exception {
    write(20 << 20);
    try (TestServer server = TestServer.importing(target)) {
      FutureTask<PushResult> running =
          start(to(server.address()).at(new RateLimit(4 << 20)), new Progress());
      Await.until(() -> server.server().importFigures().verifiedBytes() > 6 << 20);
      running.cancel(true);
    }
    assertThat(target.resolve("photos")).doesNotExist();
    try (RandomAccessFile file =
        new RandomAccessFile(target.resolve(".weir-incoming/photos/tree/large").toFile(), "rw")) {
      file.write(7); // A byte that has rotted meanwhile.
    }
    Progress second = new Progress();
    try (TestServer again = TestServer.importing(target)) {
      Push.run(to(again.address()), second);
    }
    assertCopied();
    assertThat(second.keptBytes()).isPositive();
    assertThat(second.keptBytes() + second.sentBytes()).isEqualTo(second.totalBytes());
  }

  @Test
  void aCancelledPushEndsAndLeavesNothing() throws Exception {
    write(20 << 20);
    try (TestServer server = TestServer.importing(target);
        HttpClient client = HttpClient.newHttpClient()) {
      FutureTask<PushResult> running =
          start(to(server.address()).at(new RateLimit(4 << 20)), new Progress());
      Await.until(() -> server.server().importFigures().verifiedBytes() > 0);
      URI imports = URI.create("http://127.0.0.1:%d/imports".formatted(server.port()));
      String list =
          client.send(HttpRequest.newBuilder(imports).build(), BodyHandlers.ofString()).body();
      String id = list.replaceFirst("(?s).*\"id\":\"([^\"]+)\".*", "$1");
      assertThat(
              client
                  .send(
                      HttpRequest.newBuilder(URI.create(imports + "/" + id)).DELETE().build(),
                      BodyHandlers.ofString())
                  .statusCode())
          .isEqualTo(204);
      assertThatThrownBy(() -> running.get(60, TimeUnit.SECONDS))
          .hasMessageContaining("was cancelled");
      Await.until(() -> server.server().importFigures().active() == 0);
    }
    assertThat(target.resolve("photos")).doesNotExist();
    assertThat(target.resolve(".weir-incoming/photos")).doesNotExist();
  }

  @Test
  void anImportThatNobodyBringsAnythingToIsPutAside() throws Exception {
    write(20 << 20);
    try (TestServer server =
        TestServer.importing(
            target, new RateLimit(0), Duration.ofMillis(300), FetchOptions::usable)) {
      Proxy proxy =
          Proxy.ofRequests(
              server.port(),
              number -> {
                AtomicInteger left = new AtomicInteger(3 << 20);
                return (bytes, count) -> Math.max(0, Math.min(count, left.getAndAdd(-count)));
              });
      FutureTask<PushResult> running = start(to(proxy.address()).over(1), new Progress());
      Await.until(() -> server.server().importFigures().verifiedBytes() > 0);
      running.cancel(true);
      proxy.close();
      Await.until(() -> server.server().importFigures().active() == 0);
      Progress progress = new Progress();
      Push.run(to(server.address()), progress);
      assertThat(progress.keptBytes()).isPositive();
    }
    assertCopied();
  }

  @Test
  void aLinkThatIsCutAgainAndAgainIsGoneOnWith() throws Exception {
    write(24 << 20);
    Progress progress = new Progress();
    try (TestServer server = TestServer.importing(target);
        Proxy proxy =
            Proxy.ofRequests(
                server.port(),
                number -> {
                  AtomicInteger left = new AtomicInteger(5 << 20);
                  return (bytes, count) -> Math.max(0, Math.min(count, left.getAndAdd(-count)));
                })) {
      Push.run(to(proxy.address()).over(1), progress);
      assertThat(server.server().importFigures().repeatedBytes()).isZero();
      // A chunk at most is written again for each cut.
      assertThat(server.server().importFigures().receivedBytes())
          .isLessThanOrEqualTo(progress.totalBytes() + (progress.lostConnections() << 20));
    }
    assertCopied();
    assertThat(progress.lostConnections()).isGreaterThanOrEqualTo(4);
  }

  private static Proxy.Links damaging(int first, int last) {
    AtomicInteger bodies = new AtomicInteger();
    return number ->
        (bytes, count) -> {
          int now = count == bytes.length ? bodies.incrementAndGet() : 0;
          if (now >= first && now <= last) {
            bytes[count - 1] ^= 1;
          }
          return count;
        };
  }

  @Test
  void aChunkThatIsDamagedOnceIsSentAgain() throws Exception {
    write(24 << 20);
    Progress progress = new Progress();
    try (TestServer server = TestServer.importing(target);
        Proxy proxy = Proxy.ofRequests(server.port(), damaging(20, 20))) {
      Push.run(to(proxy.address()).over(1), progress);
      assertThat(server.server().importFigures().wrongChunks()).isEqualTo(1);
    }
    assertCopied();
    assertThat(progress.badChunks()).isEqualTo(1);
  }

  @Test
  void aChunkThatIsDamagedTwiceIsNamed() throws Exception {
    write(24 << 20);
    try (TestServer server = TestServer.importing(target);
        Proxy proxy = Proxy.ofRequests(server.port(), damaging(1, Integer.MAX_VALUE))) {
      assertFails(
          to(proxy.address()).over(1),
          TransferException.Reason.CORRUPT,
          "the file 'large': 1,048,576 bytes from");
    }
    assertThat(target.resolve("photos")).doesNotExist();
  }

  @Test
  void aFileThatChangesWhileItIsPushedIsNamed() throws Exception {
    write(24 << 20);
    try (TestServer server = TestServer.importing(target)) {
      FutureTask<PushResult> running =
          start(to(server.address()).over(1).at(new RateLimit(4 << 20)), new Progress());
      Await.until(() -> server.server().importFigures().verifiedBytes() > 0);
      try (RandomAccessFile file = new RandomAccessFile(source.resolve("large").toFile(), "rw")) {
        file.setLength(1000);
      }
      assertThatThrownBy(() -> running.get(60, TimeUnit.SECONDS))
          .hasCauseInstanceOf(SourceException.class)
          .hasMessageContaining("the file 'large' has changed");
    }
  }

  @Test
  void overTlsOnlyListedClientsMayPush() throws Exception {
    Trees.create(source, 11);
    TestCertificate own = TestCertificate.create(folder.resolve("own"));
    TestCertificate other = TestCertificate.create(folder.resolve("other"));
    Path both =
        Files.writeString(
            folder.resolve("both.pem"),
            Files.readString(own.certificate()) + Files.readString(other.certificate()));
    ServeOptions options =
        new ServeOptions(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Map.of(),
                folder.resolve("cache"),
                16 << 20,
                new RateLimit(0),
                TlsContexts.server(own.certificate(), own.key(), both),
                Duration.ofSeconds(30))
            .importing(
                new ImportOptions(target, Duration.ofSeconds(30), FetchOptions::usable),
                ClientList.read(own.certificate()));
    try (ReplicationServer server = ReplicationServer.start(options)) {
      PushOptions to = to(new InetSocketAddress("127.0.0.1", server.address().getPort()));
      assertFails(
          to.secured(TlsContexts.client(own.certificate(), other.certificate(), other.key())),
          TransferException.Reason.REFUSED,
          "not among those that may push");
      assertFails(
          to.secured(TlsContexts.client(own.certificate(), null, null)),
          TransferException.Reason.REFUSED,
          "TLS fails");
      assertFails(to, TransferException.Reason.REFUSED, "use https://");
      push(to.secured(TlsContexts.client(own.certificate(), own.certificate(), own.key())));
      assertCopied();
      Await.until(() -> server.liveBytes() == 0);
    }
  }
}
