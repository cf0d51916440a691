package dev.weir.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LabReportTest {
  @TempDir Path folder;

  @Test
  void aReportHasEachRowInThreeForms() throws IOException {
    LabReport.write(folder, new LabReport.Head("weir <lab>", "a machine", "now", 3), rows(), false);

    Map<String, Object> json =
        JsonLines.parse(Files.readString(folder.resolve("report.json")).strip());
    assertThat(json).containsEntry("complete", false).containsEntry("planned", 3);
    assertThat((List<?>) json.get("rows")).hasSize(2);
    assertThat(Files.readAllLines(folder.resolve("report.csv")))
        .containsExactly(
            "scenario,allocator,peakRssBytes,trace,flags,problem",
            "s,weir,3145728,some.trace,\"-Da=\"\"1,2\"\"\",",
            "s,netty,,,,it crashed");
    String html = Files.readString(folder.resolve("report.html"));
    assertThat(html)
        .contains("weir &lt;lab&gt;", "Incomplete: 2 of 3 rows", "it crashed", "<svg", ">3.0<")
        .contains("<h3>s, some.trace</h3>", "<td>3.6</td><td>at most 10.0</td><td>reached</td>")
        .contains("<td class=\"bad\">missed</td>")
        .doesNotContain("http://", "https://", "weir <lab>");
  }

  @Test
  void aCompleteReportSaysNothingOfThat() throws IOException {
    LabReport.write(folder, LabReport.Head.now("weir lab", 2), rows(), true);
    assertThat(folder.resolve("report.html")).content().doesNotContain("Incomplete");
    assertThat(LabReport.withoutSeries(rows().getFirst())).doesNotContainKey(LabReport.SERIES);
  }

  /** Two rows: one with figures and a chart, one with a problem. */
  static List<Map<String, Object>> rows() {
    Map<String, Object> weir = new LinkedHashMap<>();
    weir.put("scenario", "s");
    weir.put("allocator", "weir");
    weir.put("peakRssBytes", 3L << 20);
    weir.put("trace", "some.trace");
    weir.put(
        LabReport.GOALS,
        List.of(
            new UpperBound("none: ns an event", 3.51, 10, 1).toMap(),
            new UpperBound("refused", 2.0, 0, 0).toMap()));
    weir.put("flags", "-Da=\"1,2\"");
    weir.put(LabReport.SERIES, List.of(List.of(0.0, 1 << 20, 0), List.of(1.0, 3 << 20, 2 << 20)));
    Map<String, Object> netty = new LinkedHashMap<>();
    netty.put("scenario", "s");
    netty.put("allocator", "netty");
    netty.put("problem", "it crashed");
    return List.of(weir, netty);
  }
}
