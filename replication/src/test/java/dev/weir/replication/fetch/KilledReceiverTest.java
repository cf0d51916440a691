package dev.weir.replication.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.replication.testing.Await;
import dev.weir.replication.testing.JavaProcess;
import dev.weir.replication.testing.TestServer;
import dev.weir.replication.testing.Trees;
import dev.weir.replication.transfer.Progress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kill -9 of the receiver: {@code -Dweir.test.kills=100} kills more often. */
class KilledReceiverTest {
  private static final int KILLS = Integer.getInteger("weir.test.kills", 2);
  private static final int BYTES = 32 << 20;
  private static final long RATE = 24 << 20;
  private static final int CONNECTIONS = FetchOptions.DEFAULT_CONNECTIONS;

  @TempDir private Path folder;

  @Test
  void whatAKilledReceiverHasWrittenIsGoneOnWith() throws Exception {
    long seed = Long.getLong("weir.test.seed", 1);
    Random random = new Random(seed);
    Path source = folder.resolve("photos");
    Trees.create(source, seed);
    Files.write(source.resolve("large"), Trees.content(random, BYTES));
    Path target = Files.createDirectory(folder.resolve("target"));
    try (TestServer server = TestServer.of(source, folder.resolve("cache"))) {
      long mostAgain = 0;
      for (int kill = 0; kill < KILLS; kill++) {
        killAtRandom(server, target, random);
        assertThat(target.resolve("photos")).as("seed " + seed).doesNotExist();
        mostAgain += (long) CONNECTIONS << 20;
      }
      Progress progress = new Progress();
      Fetch.run(server.fetchInto(target), progress);

      assertThat(Trees.describe(target.resolve("photos")))
          .as("seed " + seed)
          .isEqualTo(Trees.describe(source));
      assertThat(progress.keptBytes()).isPositive();
      assertThat(server.server().figures().sentBytes())
          .as("a chunk a connection is sent again at most, and what was under way")
          .isLessThan(2L * progress.totalBytes() + mostAgain + (64L << 20) * KILLS);
    }
  }

  private static void killAtRandom(TestServer server, Path target, Random random) throws Exception {
    Process receiver =
        JavaProcess.start(
            ReceiverMain.class,
            Integer.toString(server.port()),
            server.name(),
            target.toString(),
            Long.toString(RATE));
    try {
      Path room = target.resolve(".weir-incoming/photos/room");
      Await.until(
          () -> !receiver.isAlive() || Files.exists(room) && Files.size(room) == Long.BYTES);
      // Somewhere between the first byte and the last.
      receiver.waitFor(random.nextInt(300), TimeUnit.MILLISECONDS);
    } finally {
      receiver.destroyForcibly().waitFor();
    }
  }
}
