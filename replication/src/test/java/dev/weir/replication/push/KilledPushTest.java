package dev.weir.replication.push;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.replication.net.RateLimit;
import dev.weir.replication.testing.Await;
import dev.weir.replication.testing.JavaProcess;
import dev.weir.replication.testing.TestServer;
import dev.weir.replication.testing.Trees;
import dev.weir.replication.transfer.Progress;
import java.io.BufferedReader;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kill -9 of either side of a push: {@code -Dweir.test.kills=100} kills more often. */
class KilledPushTest {
  private static final int KILLS = Integer.getInteger("weir.test.kills", 2);
  private static final int BYTES = 24 << 20;
  private static final long RATE = 24 << 20;

  private final long seed = Long.getLong("weir.test.seed", 1);
  private final Random random = new Random(seed);

  @TempDir private Path folder;

  private Path source;
  private Path target;

  @BeforeEach
  void fill() throws Exception {
    source = folder.resolve("photos");
    target = folder.resolve("target");
    Trees.create(source, seed);
    byte[] content = new byte[BYTES];
    random.nextBytes(content);
    Files.write(source.resolve("large"), content);
  }

  private PushOptions to(int port) {
    return PushOptions.of(
        source, "photos", new InetSocketAddress("127.0.0.1", port), folder.resolve("manifests"));
  }

  private void assertCopied() throws Exception {
    assertThat(Trees.describe(target.resolve("photos")))
        .as("seed " + seed)
        .isEqualTo(Trees.describe(source));
  }

  @Test
  void whatAKilledSenderHasSentIsGoneOnWith() throws Exception {
    try (TestServer server = TestServer.importing(target)) {
      long before = 0;
      for (int kill = 0; kill < KILLS && Files.notExists(target.resolve("photos")); kill++) {
        Process sender =
            JavaProcess.start(
                SenderMain.class,
                source.toString(),
                Integer.toString(server.port()),
                folder.resolve("of-killed").toString(),
                Long.toString(RATE));
        try {
          long seen = before;
          Await.until(
              () -> !sender.isAlive() || server.server().importFigures().receivedBytes() > seen);
          sender.waitFor(random.nextInt(200), TimeUnit.MILLISECONDS);
        } finally {
          sender.destroyForcibly().waitFor();
        }
        before = server.server().importFigures().receivedBytes();
      }
      if (Files.notExists(target.resolve("photos"))) {
        Push.run(to(server.port()), new Progress());
      }
      assertCopied();
      assertThat(server.server().importFigures().repeatedBytes())
          .as("nothing that was there is sent again")
          .isZero();
      assertThat(server.server().importFigures().receivedBytes())
          .as("a chunk a connection is written again at most")
          .isLessThanOrEqualTo(
              server.server().importFigures().verifiedBytes() + KILLS * (4L << 20));
    }
  }

  @Test
  void whatAKilledReceiverHasWrittenIsGoneOnWith() throws Exception {
    for (int kill = 0; kill < KILLS; kill++) {
      Process importer = JavaProcess.start(ImporterMain.class, target.toString());
      try (BufferedReader lines = importer.inputReader()) {
        int port = Integer.parseInt(lines.readLine());
        Progress progress = new Progress();
        Thread pushing =
            Thread.startVirtualThread(() -> {
              try {
                Push.run(to(port).at(new RateLimit(RATE)), progress);
              } catch (Exception killed) {
                // That is what happens to it.
              }
            });
        Await.until(() -> progress.sentBytes() > 0 || !pushing.isAlive());
        importer.waitFor(random.nextInt(200), TimeUnit.MILLISECONDS);
        importer.destroyForcibly().waitFor();
        pushing.join();
      } finally {
        importer.destroyForcibly().waitFor();
      }
      if (Files.exists(target.resolve("photos"))) {
        break;
      }
    }
    if (Files.notExists(target.resolve("photos"))) {
      Progress progress = new Progress();
      try (TestServer server = TestServer.importing(target)) {
        Push.run(to(server.port()), progress);
      }
      assertThat(progress.keptBytes() + progress.sentBytes())
          .as("what is there is not sent, seed " + seed)
          .isEqualTo(progress.totalBytes());
    }
    assertCopied();
  }
}
