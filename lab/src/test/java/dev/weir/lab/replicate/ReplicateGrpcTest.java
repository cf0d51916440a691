package dev.weir.lab.replicate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.report.JsonLines;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** With {@code -Dweir.test.long=true} two GiB through cuts every three seconds. */
class ReplicateGrpcTest {
  private static final boolean LONG = Boolean.getBoolean("weir.test.long");

  @TempDir private Path folder;

  @Test
  void manyFilesInTwoThreadsAtTimesOfTheirOwnAreWholeWithGrpcAndTls() throws IOException {
    List<Map<String, Object>> rows =
        rows(
            "--peers grpc,netty --protocols tls --files 5 --file-size 1500000 -t 2 -n 3"
                + " --arrivals 100 --connections 2 --rounds 1");

    assertThat(rows).hasSize(1);
    assertThat(rows.getFirst())
        .containsEntry("peer", "grpc")
        .containsEntry("completed", 3)
        .containsEntry("failures", 0);
  }

  @Test
  void throughAProxyThatCutsTheLinkAFetchIsWhole() throws IOException {
    List<Map<String, Object>> rows =
        rows(
            "--peers weir --protocols clear --connections 4 -n 1 --rounds 1 "
                + (LONG
                    ? "--size 2G --rate 200M --cut-every 3"
                    : "--size 24M --rate 16M --cut-every 0.3"));

    assertThat(rows.getFirst()).containsEntry("completed", 1).containsEntry("failures", 0);
    assertThat(JsonLines.number(rows.getFirst(), "cuts")).isPositive();
  }

  private List<Map<String, Object>> rows(String options) throws IOException {
    Path json = folder.resolve("rows.jsonl");
    Path csv = folder.resolve("rows.csv");
    Path work = Files.createDirectory(folder.resolve("work"));
    StringWriter out = new StringWriter();
    int code =
        new CommandLine(new ReplicateBenchCommand())
            .setOut(new PrintWriter(out))
            .execute(
                "%s --directory %s --json %s --csv %s"
                    .formatted(options, work, json, csv)
                    .split(" +"));
    assertThat(code).as(out.toString()).isZero();
    assertThat(work).isEmptyDirectory();
    try (Stream<String> lines = Files.lines(csv)) {
      assertThat(lines.findFirst().orElse("")).contains("p999Seconds");
    }
    return Files.readAllLines(json).stream().map(JsonLines::parse).toList();
  }
}
