package dev.weir.lab.replicate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.report.JsonLines;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ReplicateBenchTest {
  @TempDir private Path folder;

  @Test
  void eachPeerCopiesWhatTheSourceHasAndLeavesNothingBehind() throws Exception {
    Path json = folder.resolve("rows.jsonl");
    Path work = Files.createDirectory(folder.resolve("work"));
    StringWriter out = new StringWriter();
    int code =
        new CommandLine(new ReplicateBenchCommand())
            .setOut(new PrintWriter(out))
            .execute(
                ("--size 5M --copies 1 --rounds 1 --connections 2 --peers weir,netty,c+crc"
                        + " --protocols clear --directory %s --json %s")
                    .formatted(work, json)
                    .split(" "));

    assertThat(code).as(out.toString()).isZero();
    List<Map<String, Object>> rows =
        Files.readAllLines(json).stream().map(JsonLines::parse).toList();
    assertThat(rows).extracting(row -> row.get("peer")).contains("weir", "netty");
    assertThat(rows)
        .allSatisfy(row -> {
          assertThat(JsonLines.number(row, "runMegabytesPerSecond")).isPositive();
          assertThat(JsonLines.number(row, "receiverPeakRssBytes")).isPositive();
        });
    assertThat(out.toString()).contains("clear weir");
    assertThat(work).isEmptyDirectory();
  }
}
