package dev.weir.replication.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.replication.testing.Await;
import dev.weir.replication.testing.TestServer;
import dev.weir.replication.testing.Trees;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kill -9 of a standby: {@code -Dweir.test.kills=100} kills more often. */
class KilledStandbyTest {
  private static final int KILLS = Integer.getInteger("weir.test.kills", 3);

  @TempDir private Path folder;

  @Test
  void itHoldsAStateOfTheSourceWheneverItIsKilled() throws Exception {
    long seed = Long.getLong("weir.test.seed", 1);
    Random random = new Random(seed);
    Path source = Files.createDirectory(folder.resolve("photos"));
    Path target = folder.resolve("target");
    Files.write(source.resolve("kept"), Trees.content(random, 3 << 20));
    List<Map<String, String>> states = new ArrayList<>();
    for (int kill = 0; kill < KILLS; kill++) {
      Files.write(source.resolve("changed"), Trees.content(random, 8 << 20));
      states.add(Trees.describe(source));
      try (TestServer server = TestServer.of(source, folder.resolve("cache"))) {
        killAtRandom(server, target, random);
      }
      if (kill > 0 || Files.exists(target.resolve("photos"))) {
        assertThat(states)
            .as("seed " + seed)
            .contains(Trees.describe(target.resolve("photos").toRealPath()));
      } else {
        turn(source, target);
      }
    }
    turn(source, target);
    assertThat(Trees.describe(target.resolve("photos").toRealPath()))
        .as("seed " + seed)
        .isEqualTo(Trees.describe(source));
  }

  private void turn(Path source, Path target) throws Exception {
    try (TestServer server = TestServer.of(source, folder.resolve("cache"));
        Standby standby = Standby.open(server.fetchInto(target))) {
      standby.turn(new Progress());
    }
  }

  private static void killAtRandom(TestServer server, Path target, Random random) throws Exception {
    Process standby =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "--enable-native-access=ALL-UNNAMED",
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-cp",
                    System.getProperty("java.class.path"),
                    StandbyMain.class.getName(),
                    Integer.toString(server.port()),
                    server.name(),
                    target.toString()))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      Await.until(() -> !standby.isAlive() || hasBegun(server));
      // From the first request to some time after the switch.
      standby.waitFor(random.nextInt(150), TimeUnit.MILLISECONDS);
    } finally {
      standby.destroyForcibly().waitFor();
    }
  }

  private static boolean hasBegun(TestServer server) {
    return server.server().figures().connections() > 0;
  }
}
