package dev.weir.replication.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.replication.testing.Await;
import dev.weir.replication.testing.TestServer;
import dev.weir.replication.testing.Trees;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code weir replicate fetch --watch} as it is typed. */
class StandbyWatchTest {
  @TempDir private Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    CommandLine command = new CommandLine(new ReplicateCommand());
    command.setOut(new PrintWriter(out, true));
    command.setErr(new PrintWriter(err, true));
    return command.execute(arguments);
  }

  private String printed() {
    return out.toString();
  }

  @Test
  void itFollowsTheSourceOutlivesItAndEndsWhenANodeHasOpenedTheStandby() throws Exception {
    Path source = Files.createDirectory(folder.resolve("photos"));
    Files.writeString(source.resolve("a"), "one");
    Path standby = folder.resolve("standby");
    CompletableFuture<Integer> watch;
    try (TestServer server = TestServer.of(source, folder.resolve("cache"))) {
      String url = "http://127.0.0.1:%d/photos".formatted(server.port());
      watch =
          CompletableFuture.supplyAsync(
              () -> run("fetch", url, standby.toString(), "--connections", "1", "--watch=1"));
      Await.until(() -> printed().contains("1 entries, 3 bytes, all verified; 3 came"));
      Files.writeString(source.resolve("b"), "two");
      Await.until(() -> printed().contains("2 entries, 6 bytes, all verified; 3 came"));
      assertThat(Trees.describe(standby.resolve("photos").toRealPath()))
          .isEqualTo(Trees.describe(source));
    }
    Await.until(() -> printed().contains("stays as it is, and is tried again in 1 s"));
    assertThat(printed()).contains("cannot be reached");

    Files.writeString(standby.resolve("photos/~lock"), "");
    assertThat(watch.get()).isEqualTo(3);
    assertThat(err.toString()).contains("no standby any more");
  }

  @Test
  void aFirstTurnThatFailsEndsIt() throws Exception {
    Path source = Files.createDirectory(folder.resolve("photos"));
    try (TestServer server = TestServer.of(source, folder.resolve("cache"))) {
      String url = "http://127.0.0.1:%d/other".formatted(server.port());
      assertThat(run("fetch", url, folder.resolve("standby").toString(), "--watch")).isEqualTo(3);
      assertThat(err.toString()).contains("there is no '/containers/other/manifest'");
      assertThat(run("fetch", url, folder.toString(), "--watch=0")).isEqualTo(2);
    }
  }
}
