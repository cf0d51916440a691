package dev.weir.lab.scenario;

import static dev.weir.lab.ScriptedJdk.HANG;
import static dev.weir.lab.ScriptedJdk.HELLO;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.LabProcess;
import dev.weir.lab.ScriptedJdk;
import dev.weir.lab.report.JsonLines;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchService;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Ctrl-C while the second row is measured, which never ends by itself. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class InterruptionTest {
  private static final int ENDED_BY_CTRL_C = 130;

  @TempDir Path folder;

  @Test
  void aRunThatIsCutKeepsItsRowsAndSaysSo() throws Exception {
    Path jdk =
        ScriptedJdk.create(
            folder, ScriptedJdk.byVersion("4.1.51", "exit 1", "4.1.68", HELLO + HANG));
    cut(jdk, "run", "rss-per-thread", "--quick", "--allocators", "netty-4.1.51,netty-4.1.68");
  }

  @Test
  void aReplayThatIsCutKeepsItsRowsAndSaysSo() throws Exception {
    Path jdk = ScriptedJdk.create(folder, HELLO + HANG);
    Map<String, Object> row =
        cut(jdk, "replay", "mixed", "--scale", "0.02", "--allocators", "sequential,netty-4.1.68");
    assertThat(row).containsEntry("allocator", "sequential").containsEntry("refusals", 0);
  }

  /** Returns the row that is kept. */
  private Map<String, Object> cut(Path jdk, String... arguments) throws Exception {
    Path report = Files.createDirectory(folder.resolve("report"));
    Path log = folder.resolve("log");
    String[] all =
        Stream.concat(
                List.of(arguments).stream(),
                List.of("--jdk", jdk.toString(), "--report", report.toString()).stream())
            .toArray(String[]::new);
    Process lab = LabProcess.start(log, Map.of(), all);
    awaitRow(report);
    assertThat(new ProcessBuilder("kill", "-INT", Long.toString(lab.pid())).start().waitFor())
        .isZero();
    assertThat(lab.waitFor()).as(Files.readString(log)).isEqualTo(ENDED_BY_CTRL_C);
    assertThat(lab.descendants()).isEmpty();
    assertThat(log)
        .content()
        .isEqualTo("weir: interrupted; 1 of 2 rows are kept, and marked as incomplete\n");
    Map<String, Object> kept = read(report);
    assertThat(kept).containsEntry("complete", false).containsEntry("planned", 2);
    assertThat(report.resolve("report.html")).content().contains("Incomplete: 1 of 2 rows");
    return rows(kept).getFirst();
  }

  private static void awaitRow(Path report) throws IOException, InterruptedException {
    try (WatchService changes = FileSystems.getDefault().newWatchService()) {
      report.register(
          changes, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_MODIFY);
      while (!Files.exists(report.resolve("report.html")) || rows(read(report)).isEmpty()) {
        changes.take().reset();
      }
    }
  }

  private static Map<String, Object> read(Path report) throws IOException {
    return JsonLines.parse(Files.readString(report.resolve("report.json")));
  }

  @SuppressWarnings("unchecked")
  private static List<Map<String, Object>> rows(Map<String, Object> report) {
    return (List<Map<String, Object>>) report.get("rows");
  }
}
