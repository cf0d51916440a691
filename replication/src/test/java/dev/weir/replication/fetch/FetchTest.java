package dev.weir.replication.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.replication.net.RateLimit;
import dev.weir.replication.net.TlsContexts;
import dev.weir.replication.testing.Await;
import dev.weir.replication.testing.TestCertificate;
import dev.weir.replication.testing.TestServer;
import dev.weir.replication.testing.Trees;
import dev.weir.replication.transfer.Progress;
import dev.weir.replication.transfer.TransferException;
import java.io.RandomAccessFile;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FetchTest {
  @TempDir private Path folder;

  private Path source;
  private Path target;
  private Path cache;

  @BeforeEach
  void makeDirectories() throws Exception {
    source = Files.createDirectory(folder.resolve("photos"));
    target = folder.resolve("target");
    cache = folder.resolve("cache");
  }

  private static FetchResult fetch(FetchOptions options) throws Exception {
    return Fetch.run(options, new Progress());
  }

  private void assertCopied() throws Exception {
    assertThat(Trees.describe(target.resolve("photos"))).isEqualTo(Trees.describe(source));
    assertThat(target.resolve(".weir-incoming/photos")).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void aTreeIsCopiedAsItIs(long seed) throws Exception {
    Trees.create(source, seed);
    try (TestServer server = TestServer.of(source, cache)) {
      fetch(server.fetchInto(target).over(1 + (int) seed % 4));
      assertCopied();
      assertThat(server.server().liveBytes()).isZero();
    }
  }

  @Test
  void overTlsEachSideChecksTheOther() throws Exception {
    Trees.create(source, 11);
    TestCertificate own = TestCertificate.create(folder.resolve("own"));
    TestCertificate other = TestCertificate.create(folder.resolve("other"));
    try (TestServer server =
        TestServer.of(
            source,
            cache,
            new RateLimit(0),
            TlsContexts.server(own.certificate(), own.key(), own.certificate()),
            Duration.ofSeconds(30))) {
      FetchOptions options = server.fetchInto(target);
      assertRefused(
          options.secured(TlsContexts.client(other.certificate(), own.certificate(), own.key())),
          "TLS fails");
      assertRefused(
          options.secured(TlsContexts.client(own.certificate(), other.certificate(), other.key())),
          "TLS fails");
      assertRefused(options, "use https://");

      fetch(options.secured(TlsContexts.client(own.certificate(), own.certificate(), own.key())));
      assertCopied();
    }
  }

  @Test
  void tlsToAServerInTheClearIsNamed() throws Exception {
    try (TestServer server = TestServer.of(source, cache)) {
      assertRefused(
          server.fetchInto(target).secured(TlsContexts.client(null, null, null)),
          "speaks HTTP in the clear; use http://");
    }
  }

  private void assertRefused(FetchOptions options, String reason) {
    assertFails(options, TransferException.Reason.REFUSED, reason);
  }

  private static void assertFails(
      FetchOptions options, TransferException.Reason reason, String message) {
    assertThatThrownBy(() -> fetch(options))
        .isInstanceOfSatisfying(
            TransferException.class,
            e -> assertThat(e.reason()).as(e.getMessage()).isEqualTo(reason))
        .hasMessageContaining(message);
  }

  @Test
  void holesStayHolesAndBytesBeyondFourGigabytesArrive() throws Exception {
    long gib = 1L << 30;
    Path file = source.resolve("sparse");
    long[] offsets = {2 * gib - 50_000, 4 * gib - 50_000, 5 * gib - 50_000};
    byte[] content = new byte[100_000];
    new Random(5).nextBytes(content);
    try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
      for (long offset : offsets) {
        sparse.seek(offset);
        sparse.write(content);
      }
      sparse.setLength(5 * gib + (3 << 20));
    }
    Progress progress = new Progress();
    try (TestServer server = TestServer.of(source, cache)) {
      Fetch.run(server.fetchInto(target).over(1), progress);
    }
    assertThat(progress.receivedBytes()).isEqualTo(6L << 20);
    try (RandomAccessFile copy =
        new RandomAccessFile(target.resolve("photos/sparse").toFile(), "r")) {
      assertThat(copy.length()).isEqualTo(Files.size(file));
      for (long offset : offsets) {
        byte[] copied = new byte[content.length];
        copy.seek(offset);
        copy.readFully(copied);
        assertThat(copied).isEqualTo(content);
      }
    }
    assertThat(blocks(target.resolve("photos/sparse"))).isLessThan(16L << 20);
  }

  /** Bytes that the file system has given to a file. */
  private static long blocks(Path file) throws Exception {
    Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
    String blocks = new String(stat.getInputStream().readAllBytes()).strip();
    return Long.parseLong(blocks) * 512;
  }

  @Test
  void whatIsNeitherFileNorDirectoryIsRefusedByName() throws Exception {
    Path link = Files.createSymbolicLink(source.resolve("link"), folder);
    try (TestServer server = TestServer.of(source, cache)) {
      assertRefused(server.fetchInto(target), "'link' is a symbolic link");
    }
    Files.delete(link);
    try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      socket.bind(UnixDomainSocketAddress.of(source.resolve("s")));
      try (TestServer server = TestServer.of(source, cache)) {
        assertRefused(server.fetchInto(target), "'s' is a socket");
      }
    }
    assertThat(target.resolve("photos")).doesNotExist();
    assertThat(target.resolve(".weir-incoming/photos")).doesNotExist();
  }

  @Test
  void whatIsThereAlreadyIsNotTouched() throws Exception {
    Files.writeString(source.resolve("file"), "new");
    Files.createDirectories(target.resolve("photos"));
    Files.writeString(target.resolve("photos/file"), "old");
    try (TestServer server = TestServer.of(source, cache)) {
      assertRefused(server.fetchInto(target), "photos exists");
    }
    assertThat(target.resolve("photos/file")).hasContent("old");
  }

  @Test
  void aContainerThatIsNotThereIsRefused() throws Exception {
    try (TestServer server = TestServer.of(source, cache)) {
      assertRefused(
          FetchOptions.of(new InetSocketAddress("127.0.0.1", server.port()), "nothing", target),
          "the source answers 404: there is no '/containers/nothing/manifest'");
    }
  }

  @Test
  void aBudgetThatIsTooSmallForTheConnectionsIsRefused() throws Exception {
    try (TestServer server = TestServer.of(source, cache)) {
      assertRefused(server.fetchInto(target).over(8).within(4 << 20), "--budget is 4,194,304");
    }
  }

  @Test
  void aDiskThatIsTooSmallIsRefusedBeforeAnyByte() throws Exception {
    Files.write(source.resolve("file"), new byte[] {1, 2, 3});
    Progress progress = new Progress();
    try (TestServer server = TestServer.of(source, cache)) {
      assertThatThrownBy(
              () -> Fetch.run(server.fetchInto(target).onDisk(directory -> 4098), progress))
          .isInstanceOf(TransferException.class)
          .hasMessageContaining("4,098 bytes free")
          .hasMessageContaining("needs 4,099 more");
    }
    assertThat(progress.receivedBytes()).isZero();
    assertThat(target.resolve(".weir-incoming/photos")).doesNotExist();
  }

  @Test
  void twoImportsDoNotCountOnTheSameRoom() throws Exception {
    Files.write(source.resolve("file"), random(8 << 20));
    Path videos = Files.createDirectory(folder.resolve("videos"));
    Files.write(videos.resolve("file"), random(8 << 20));
    RateLimit rate = new RateLimit(512 << 10);
    try (TestServer photosServer = TestServer.of(source, cache);
        TestServer videosServer = TestServer.of(videos, folder.resolve("cache2"))) {
      Progress progress = new Progress();
      FetchOptions first = photosServer.fetchInto(target).at(rate).onDisk(directory -> 10L << 20);
      CompletableFuture<FetchResult> running = start(first, progress);
      Await.until(() -> progress.verifiedBytes() > 0);

      assertRefused(
          videosServer.fetchInto(target).onDisk(directory -> 10L << 20),
          "are promised to other imports");
      assertRefused(first, "is being copied into");

      rate.set(0);
      running.get(30, TimeUnit.SECONDS);
      assertCopied();
      fetch(videosServer.fetchInto(target).onDisk(directory -> 10L << 20));
    }
  }

  private static byte[] random(int bytes) {
    byte[] content = new byte[bytes];
    new Random(bytes).nextBytes(content);
    return content;
  }

  private static CompletableFuture<FetchResult> start(FetchOptions options, Progress progress) {
    return CompletableFuture.supplyAsync(() -> {
      try {
        return Fetch.run(options, progress);
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    });
  }

  @Test
  void aResumedImportKeepsWhatIsRightAndNothingElse() throws Exception {
    Trees.create(source, 13);
    Files.write(source.resolve("large"), Trees.content(new Random(3), 20 << 20));
    RateLimit rate = new RateLimit(4 << 20);
    Progress first = new Progress();
    try (TestServer server = TestServer.of(source, cache, rate, null, Duration.ofSeconds(30))) {
      CompletableFuture<FetchResult> running = start(server.fetchInto(target), first);
      Await.until(() -> first.verifiedBytes() > 6 << 20);
      server.server().close();
      rate.set(0);
      assertThatThrownBy(() -> running.get(30, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasMessageContaining("cannot be reached");
    }
    assertThat(target.resolve("photos")).doesNotExist();
    Path partial = target.resolve(".weir-incoming/photos/tree/large");
    try (RandomAccessFile file = new RandomAccessFile(partial.toFile(), "rw")) {
      file.write(7); // A byte that has rotted meanwhile.
    }

    Progress second = new Progress();
    try (TestServer server = TestServer.of(source, folder.resolve("cache2"))) {
      Fetch.run(server.fetchInto(target), second);
    }
    assertCopied();
    assertThat(second.keptBytes()).isPositive();
    assertThat(second.keptBytes() + second.receivedBytes()).isEqualTo(second.totalBytes());
  }

  @Test
  void anImportOfAnotherContentBeginsAnew() throws Exception {
    Files.write(source.resolve("file"), new byte[3]);
    Path leftover =
        Files.createDirectories(target.resolve(".weir-incoming/photos/tree")).resolve("leftover");
    Files.writeString(leftover, "of another manifest");
    Files.writeString(target.resolve(".weir-incoming/photos/manifest"), "another");
    try (TestServer server = TestServer.of(source, cache)) {
      fetch(server.fetchInto(target));
    }
    assertCopied();
  }

  @Test
  void aLinkThatWasPutIntoAnImportLeadsNowhere() throws Exception {
    Files.createDirectory(source.resolve("d"));
    Files.write(source.resolve("d/file"), random(16 << 20));
    Path outside = Files.createDirectory(folder.resolve("outside"));
    RateLimit rate = new RateLimit(1 << 20);
    Progress progress = new Progress();
    try (TestServer server = TestServer.of(source, cache, rate, null, Duration.ofSeconds(30))) {
      CompletableFuture<FetchResult> running = start(server.fetchInto(target), progress);
      Await.until(() -> progress.verifiedBytes() > 0);
      server.server().close();
      assertThatThrownBy(() -> running.get(30, TimeUnit.SECONDS))
          .hasMessageContaining("cannot be reached");
    }
    Path tree = target.resolve(".weir-incoming/photos/tree");
    Files.move(tree.resolve("d"), tree.resolve("e"));
    Files.createSymbolicLink(tree.resolve("d"), outside);

    try (TestServer server = TestServer.of(source, folder.resolve("cache2"))) {
      assertThatThrownBy(() -> fetch(server.fetchInto(target)))
          .isInstanceOf(java.io.IOException.class);
    }
    assertThat(outside).isEmptyDirectory();
    assertThat(target.resolve("photos")).doesNotExist();
  }

  @Test
  void importsThatNobodyGoesOnWithAreRemovedAfterADay() throws Exception {
    Path folderOfImports = target.resolve(".weir-incoming");
    for (String name : new String[] {"old", "new"}) {
      Files.createDirectories(folderOfImports.resolve(name + "/tree"));
      Files.write(folderOfImports.resolve(name + "/room"), new byte[8]);
    }
    Files.setLastModifiedTime(
        folderOfImports.resolve("old/room"),
        FileTime.from(Instant.now().minus(Duration.ofHours(25))));

    assertThat(Fetch.removeOrphans(target)).isEqualTo(1);
    assertThat(folderOfImports).isDirectoryNotContaining("glob:**/old");
    assertThat(folderOfImports.resolve("new/tree")).exists();
  }

  @Test
  void aSecondManifestReadsOnlyWhatHasChanged() throws Exception {
    Trees.create(source, 17);
    Files.write(source.resolve("zz-last"), new byte[] {1});
    try (TestServer server = TestServer.of(source, cache)) {
      fetch(server.fetchInto(target));
    }
    // A content that changes without its stamp would not be noticed: so the checksums are reused.
    Files.write(source.resolve("zz-last"), new byte[] {2});
    Files.write(source.resolve("zz-new"), new byte[] {3});
    Path second = folder.resolve("second");
    try (TestServer server = TestServer.of(source, cache)) {
      fetch(server.fetchInto(second));
    }
    assertThat(Trees.describe(second.resolve("photos"))).isEqualTo(Trees.describe(source));
  }
}
