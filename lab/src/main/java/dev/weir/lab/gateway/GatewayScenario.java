package dev.weir.lab.gateway;

import dev.weir.lab.report.TextTable;
import dev.weir.lab.scenario.LabRow;
import dev.weir.lab.scenario.Rows;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi;

/** The rows of {@code gateway}, and how people read them. */
public final class GatewayScenario {
  /** Its name on the command line. */
  public static final String NAME = "gateway";

  private GatewayScenario() {}

  /** A row for each way of compressing under each malloc. */
  public static List<LabRow> rows(
      Collection<GatewayCoder> coders, Collection<Malloc> mallocs, GatewayPlan plan) {
    List<LabRow> rows = new ArrayList<>();
    for (Malloc malloc : mallocs) {
      for (GatewayCoder coder : coders) {
        String label = coder.label() + "/" + malloc.label();
        rows.add(new LabRow(NAME, label, new GatewayRow(coder, malloc, plan)));
      }
    }
    return rows;
  }

  /** Those of the rows that are of this scenario. */
  public static String render(List<Map<String, @Nullable Object>> rows, Ansi ansi) {
    TextTable table =
        new TextTable(
            "MiB",
            "answered",
            "vanished",
            "failed",
            "a second",
            "collections",
            "GC ms",
            "peak RSS",
            "load",
            "light",
            "zero load");
    for (Map<String, @Nullable Object> row : rows) {
      if (Rows.isMeasured(row, NAME)) {
        table.add(
            Rows.text(row, "allocator"),
            Rows.text(row, "answered"),
            Rows.text(row, "vanished"),
            Rows.text(row, "refused"),
            Rows.text(row, "perSecond"),
            Rows.text(row, "gcCount"),
            Rows.text(row, "gcMillis"),
            Rows.mib(row, "peakRssBytes"),
            Rows.mib(row, "loadRssBytes"),
            Rows.mib(row, "lightRssBytes"),
            Rows.mib(row, "idleRssBytes"));
      }
    }
    return table.render(ansi) + Rows.problems(rows, NAME);
  }
}
