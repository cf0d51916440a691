package dev.weir.benchmarks;

import dev.weir.benchmarks.alloc.AllocSuite;
import dev.weir.benchmarks.alloc.AllocSuite.Row;
import dev.weir.benchmarks.pattern.AllocPattern;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The flags that choose rows: patterns, sizes, how many buffers are live. */
final class RowOptions {
  private static final int MAX_LIVE = 1 << 20;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--pattern",
      split = ",",
      converter = Labels.OfAllocPattern.class,
      paramLabel = "NAME",
      description = "allocate-release, ring, random (default: all).")
  private @Nullable List<AllocPattern> patterns;

  @Mixin private SizeOption sizes;

  @Option(
      names = "--live",
      split = ",",
      paramLabel = "N",
      description = "How many buffers ring and random keep live (default: several).")
  private @Nullable List<Integer> lives;

  RowOptions() {}

  /**
   * The rows that the flags ask for. What they leave open, {@code defaults} answers: a flag that is
   * given takes the place of the values that the defaults have for it. Where the numbers of live
   * buffers are the defaults', those that are too many for the sizes given are left out.
   *
   * @param threads how many threads run each row at most
   */
  List<Row> rows(List<Row> defaults, int threads) {
    checkFlags();
    Set<Row> rows = new LinkedHashSet<>();
    for (AllocPattern pattern : patterns == null ? List.of(AllocPattern.values()) : patterns) {
      List<Row> like = defaults.stream().filter(row -> row.pattern() == pattern).toList();
      if (like.isEmpty() && patterns != null) {
        throw rejected(
            "--pattern %s has no rows here; there are %s"
                .formatted(pattern.label(), patternsOf(defaults)));
      }
      for (Row row : like) {
        List<String> mixes = sizes.or(List.of(row.sizes()));
        List<Integer> counts = lives == null ? List.of(row.live()) : lives;
        rows.addAll(AllocSuite.rows(List.of(pattern), mixes, counts));
      }
    }
    List<Row> fitting = rows.stream().filter(row -> fits(row, threads)).toList();
    if (lives == null && !fitting.isEmpty()) {
      return fitting;
    }
    for (Row row : rows) {
      if (!fits(row, threads)) {
        throw rejected(
            "--live %d with --sizes %s would keep %,.0f MiB live; at most %,d are allowed"
                .formatted(
                    row.live(),
                    row.sizes(),
                    row.liveBytes(threads) / (1 << 20),
                    AllocSuite.MAX_LIVE_BYTES >> 20));
      }
    }
    return List.copyOf(rows);
  }

  private static boolean fits(Row row, int threads) {
    return row.liveBytes(threads) <= AllocSuite.MAX_LIVE_BYTES;
  }

  private static String patternsOf(List<Row> rows) {
    return rows.stream()
        .map(row -> row.pattern().label())
        .distinct()
        .collect(Collectors.joining(", "));
  }

  private void checkFlags() {
    if (lives != null && lives.stream().anyMatch(live -> live < 1 || live > MAX_LIVE)) {
      throw rejected("--live must be between 1 and " + MAX_LIVE);
    }
  }

  private ParameterException rejected(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
