package dev.weir.lab.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.LabCommand;
import dev.weir.lab.ScriptedJdk;
import dev.weir.lab.report.JsonLines;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Rows that peers measure, or cannot. */
class PeerRowsTest {
  private static final int INCOMPLETE = 3;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir Path folder;

  @Test
  void theOldestNettyAndWeirServeTheSameRequests() throws IOException {
    Path json = folder.resolve("rows.jsonl");
    int exit =
        perThread(
            "--jdk",
            System.getProperty("java.home"),
            "--allocators",
            "netty-4.1.51,weir",
            "--json",
            json.toString());
    assertThat(exit).as(out.toString() + err).isZero();
    List<Map<String, Object>> rows = rows(json);
    assertThat(rows).extracting("allocator").containsExactly("netty-4.1.51", "weir");
    assertThat(rows).extracting("netty").containsExactly("4.1.51", "4.2.18");
    assertThat(rows).extracting("answered").containsOnly(20);
    assertThat(rows).extracting("refused").containsOnly(0);
    assertThat(number(rows.get(0), "heldBytes")).isGreaterThanOrEqualTo(16L * (16 << 20));
    assertThat(number(rows.get(1), "heldBytes")).isLessThan(16L << 20);
    assertThat(out.toString()).contains("a request");
  }

  @Test
  void aPeerThatEndsEarlySaysSoInItsRowAndTheOthersGoOn() throws IOException {
    Path json = folder.resolve("rows.jsonl");
    int exit =
        perThread(
            "--jdk",
            jdk("echo no such luck >&2; exit 1").toString(),
            "--allocators",
            "netty-4.1.68,weir",
            "--json",
            json.toString());
    assertThat(exit).isEqualTo(INCOMPLETE);
    List<Map<String, Object>> rows = rows(json);
    assertThat(rows.get(0).get("problem")).asString().contains("ended early: no such luck");
    assertThat(rows.get(1)).doesNotContainKey("problem").containsEntry("answered", 20);
    assertThat(out.toString()).contains("netty-4.1.68 is left out: ");
  }

  @Test
  void aPeerThatTalksNonsenseSaysSoInItsRow() throws IOException {
    Path json = folder.resolve("rows.jsonl");
    int exit =
        perThread(
            "--jdk",
            jdk("echo hello; sleep 60").toString(),
            "--allocators",
            "netty-4.1.137",
            "--json",
            json.toString());
    assertThat(exit).isEqualTo(INCOMPLETE);
    assertThat(rows(json).getFirst().get("problem")).asString().contains("said: hello");
  }

  @Test
  void aFolderThatHasNoJavaIsRefused() {
    assertThat(perThread("--jdk", folder.toString())).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString()).contains("--jdk").contains("no bin/java");
  }

  @Test
  void aJavaTellsItsRelease() throws IOException {
    assertThat(Jdk.in(jdk("exit 0"))).map(Jdk::release).hasValue(17);
    assertThat(Jdk.in(folder)).isEmpty();
    assertThat(Jdk.in(Path.of(System.getProperty("java.home"))).orElseThrow().release())
        .isEqualTo(Runtime.version().feature());
  }

  private Path jdk(String script) throws IOException {
    return ScriptedJdk.create(folder, script);
  }

  private int perThread(String... flags) {
    String[] arguments = new String[flags.length + 3];
    arguments[0] = "run";
    arguments[1] = "rss-per-thread";
    arguments[2] = "--quick";
    System.arraycopy(flags, 0, arguments, 3, flags.length);
    return new CommandLine(new LabCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  private static List<Map<String, Object>> rows(Path json) throws IOException {
    return Files.readAllLines(json).stream().map(JsonLines::parse).toList();
  }

  private static long number(Map<String, Object> row, String key) {
    return ((Number) row.get(key)).longValue();
  }
}
