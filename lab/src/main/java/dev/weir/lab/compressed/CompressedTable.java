package dev.weir.lab.compressed;

import dev.weir.lab.contender.ZstdContender;
import dev.weir.lab.report.Bytes;
import dev.weir.lab.report.TextTable;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Help.Ansi;

/** The rows of {@code weir lab run compressed}, for people. */
final class CompressedTable {
  private CompressedTable() {}

  static String render(List<Map<String, Object>> rows, Ansi ansi) {
    TextTable table =
        new TextTable(
            "MiB",
            "responses",
            "seconds",
            "contexts",
            "in use",
            "RSS at 10 %",
            "RSS at end",
            "live at end",
            "GC ms");
    for (Map<String, Object> row : rows) {
      table.add(
          label(row),
          row.get("answered") + "/" + row.get("responses"),
          String.format(Locale.ROOT, "%.1f", (Double) row.get("seconds")),
          mib(row, "contextBytes"),
          mib(row, "usedContextBytes"),
          mib(row, "rssBytesAtTenth"),
          mib(row, "rssBytes"),
          mib(row, "liveBytes"),
          String.valueOf(row.get("gcMillis")));
    }
    return table.render(ansi);
  }

  private static String label(Map<String, Object> row) {
    String zstd = String.valueOf(row.get("zstd"));
    return zstd.equals(ZstdContender.BEST.label())
        ? String.valueOf(row.get("allocator"))
        : row.get("allocator") + ", " + zstd;
  }

  private static String mib(Map<String, Object> row, String key) {
    return row.get(key) instanceof Number bytes ? Bytes.mib(bytes.longValue()) : "-";
  }
}
