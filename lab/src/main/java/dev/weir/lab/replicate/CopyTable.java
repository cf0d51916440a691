package dev.weir.lab.replicate;

import dev.weir.lab.report.Bytes;
import dev.weir.lab.report.TextTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi;

/** The rows as people read them: for each line the median of its rounds. */
final class CopyTable {
  private CopyTable() {}

  static String render(List<Map<String, @Nullable Object>> rows, Ansi ansi) {
    Map<String, List<Map<String, @Nullable Object>>> lines = new LinkedHashMap<>();
    for (Map<String, @Nullable Object> row : rows) {
      String line = row.get("protocol") + " " + row.get("connections") + " " + row.get("peer");
      lines.computeIfAbsent(line, _ -> new ArrayList<>()).add(row);
    }
    TextTable table =
        new TextTable(
            "MB/s",
            "connections",
            "verified",
            "whole",
            "failed",
            "run",
            "of rounds",
            "a copy, median",
            "slowest s",
            "CPU s/GiB sends",
            "receives",
            "RSS MiB sends",
            "receives",
            "pool MiB sends",
            "receives");
    for (List<Map<String, @Nullable Object>> rounds : lines.values()) {
      add(table, rounds);
    }
    return table.render(ansi);
  }

  private static void add(TextTable table, List<Map<String, @Nullable Object>> rounds) {
    Map<String, @Nullable Object> first = rounds.getFirst();
    double[] runs = sorted(rounds, "runMegabytesPerSecond");
    table.add(
        first.get("protocol") + " " + first.get("peer"),
        String.valueOf(first.get("connections")),
        Objects.equals(first.get("verified"), true) ? "yes" : "no",
        total(rounds, "completed"),
        total(rounds, "failures"),
        "%,.0f".formatted(median(rounds, "runMegabytesPerSecond")),
        "%,.0f–%,.0f".formatted(runs[0], runs[runs.length - 1]),
        "%,.0f".formatted(median(rounds, "medianMegabytesPerSecond")),
        String.format(Locale.ROOT, "%.2f", highest(rounds, "maxSeconds")),
        String.format(Locale.ROOT, "%.2f", median(rounds, "senderCpuSecondsPerGib")),
        String.format(Locale.ROOT, "%.2f", median(rounds, "receiverCpuSecondsPerGib")),
        Bytes.mib((long) highest(rounds, "senderPeakRssBytes")),
        Bytes.mib((long) highest(rounds, "receiverPeakRssBytes")),
        Bytes.mib((long) highest(rounds, "senderPoolBytes")),
        Bytes.mib((long) highest(rounds, "receiverPoolBytes")));
  }

  private static String total(List<Map<String, @Nullable Object>> rounds, String name) {
    return "%.0f".formatted(Arrays.stream(sorted(rounds, name)).sum());
  }

  private static double[] sorted(List<Map<String, @Nullable Object>> rounds, String name) {
    return rounds.stream()
        .mapToDouble(row -> row.get(name) instanceof Number number ? number.doubleValue() : 0)
        .sorted()
        .toArray();
  }

  private static double median(List<Map<String, @Nullable Object>> rounds, String name) {
    double[] values = sorted(rounds, name);
    return values[values.length / 2];
  }

  private static double highest(List<Map<String, @Nullable Object>> rounds, String name) {
    double[] values = sorted(rounds, name);
    return values[values.length - 1];
  }
}
