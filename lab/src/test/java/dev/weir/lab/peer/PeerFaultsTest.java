package dev.weir.lab.peer;

import static dev.weir.lab.ScriptedJdk.HANG;
import static dev.weir.lab.ScriptedJdk.HELLO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.lab.LabCommand;
import dev.weir.lab.LabProcess;
import dev.weir.lab.ScriptedJdk;
import dev.weir.lab.report.JsonLines;
import dev.weir.lab.scenario.ScenarioRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Peers that hang, crash or are not there: each row says so, the run goes on, and ends with 3. */
class PeerFaultsTest {
  private static final String CRASH = "echo out of luck >&2; exit 1\n";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir Path folder;

  @BeforeEach
  void littlePatience() {
    System.setProperty(PeerJvm.SILENCE_PROPERTY, "400");
  }

  @AfterEach
  void asBefore() {
    System.clearProperty(PeerJvm.SILENCE_PROPERTY);
    System.clearProperty(PeerFolder.PROPERTY);
  }

  @Test
  void aServerThatHangsAndOneThatCrashes() throws IOException {
    String nobody = portOfNobody();
    try (ServerSocket silent = socket()) {
      Path jdk =
          jdk(
              ScriptedJdk.byVersion(
                  "4.1.51", HELLO + port(silent) + HANG, "4.1.68", HELLO + nobody + CRASH));
      for (String scenario : List.of("rss-per-thread", "http-accumulate")) {
        List<Map<String, Object>> rows = run("run", scenario, "--quick", "--jdk", jdk.toString());
        assertProblem(rows.getFirst(), "netty-4.1.51", "no answer to an upload", "PT0.4S");
        assertProblem(rows.getLast(), "netty-4.1.68", "ended early: out of luck");
      }
    }
  }

  @Test
  void aPlayerThatHangsAndOneThatCrashes() throws IOException {
    Path jdk = jdk(ScriptedJdk.byVersion("4.1.51", HELLO + HANG, "4.1.68", HELLO + CRASH));
    List<Map<String, Object>> rows =
        run("replay", "mixed", "--scale", "0.1", "--jdk", jdk.toString());
    assertProblem(rows.getFirst(), "netty-4.1.51", "no word from the process under test in PT0.4S");
    assertProblem(rows.getLast(), "netty-4.1.68", "ended early: out of luck");
  }

  /** It does not even read: what it is told would fill the pipe, and nobody would notice. */
  @Test
  void aPeerThatHangsIsNoticedHoweverMuchItIsTold() throws IOException {
    try (PeerJvm jvm =
        PeerJvm.start(
            NettyPeer.NETTY_4_1_51,
            Jdk.in(jdk(HELLO + HANG)),
            1 << 20,
            List.of(),
            "play",
            List.of())) {
      PeerActs acts = new PeerActs(jvm);
      assertThatThrownBy(
              () -> {
                for (int slot = 0; slot < 1_000_000; slot++) {
                  acts.allocate(slot, 1);
                }
              })
          .isInstanceOf(IOException.class)
          .hasMessageContaining("no word from the process under test");
    }
  }

  @Test
  void peersThatTheBuildHasNotMadeAreNamed() throws IOException {
    System.setProperty(PeerFolder.PROPERTY, folder.resolve("none").toString());
    List<Map<String, Object>> rows =
        run("run", "rss-per-thread", "--quick", "--jdk", jdk(HELLO).toString());
    assertThat(rows)
        .hasSize(2)
        .allSatisfy(row ->
            assertThat(String.valueOf(row.get("problem")))
                .startsWith("no folder '")
                .contains("./mvnw package -pl lab-peer"));
  }

  @Test
  void withoutAnOldJavaItsRowsAreLeftOutAndNamed() throws Exception {
    Path log = folder.resolve("log");
    Process lab =
        LabProcess.start(
            log,
            Map.of("WEIR_JDK_DIRS", folder.toString()),
            "run",
            "rss-per-thread",
            "--quick",
            "--allocators",
            "netty-4.1.51,netty-4.1.68");
    assertThat(lab.waitFor()).isEqualTo(ScenarioRun.INCOMPLETE);
    assertThat(log)
        .content()
        .contains("netty-4.1.51 is left out: no JDK 17 in the usual places")
        .contains("netty-4.1.68 is left out: no JDK 17 in the usual places");
  }

  private Path jdk(String script) throws IOException {
    return ScriptedJdk.create(folder, script);
  }

  private static ServerSocket socket() throws IOException {
    return new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
  }

  private static String portOfNobody() throws IOException {
    try (ServerSocket closed = socket()) {
      return port(closed);
    }
  }

  private static String port(ServerSocket socket) {
    return "echo '{\"port\":%d}'\n".formatted(socket.getLocalPort());
  }

  /** Of two old Nettys. */
  private List<Map<String, Object>> run(String... arguments) throws IOException {
    Path json = folder.resolve("rows.jsonl");
    int exit =
        new CommandLine(new LabCommand())
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(with(arguments, json));
    assertThat(exit).as(out.toString() + err).isEqualTo(ScenarioRun.INCOMPLETE);
    return Files.readAllLines(json).stream().map(JsonLines::parse).toList();
  }

  private static String[] with(String[] arguments, Path json) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--allocators", "netty-4.1.51,netty-4.1.68", "--json", json.toString()));
    return all.toArray(String[]::new);
  }

  private void assertProblem(Map<String, Object> row, String allocator, String... said) {
    assertThat(row).containsEntry("allocator", allocator);
    assertThat(String.valueOf(row.get("problem"))).contains(said);
    assertThat(out.toString()).contains(allocator + " is left out: ");
  }
}
