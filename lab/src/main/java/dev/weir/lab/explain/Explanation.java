package dev.weir.lab.explain;

import static dev.weir.lab.report.JsonLines.figure;

import dev.weir.lab.replay.TraceRows;
import dev.weir.lab.report.Bytes;
import java.util.ArrayList;
import java.util.Formatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Simple rules over what a trace is like and what came of its replay: a sentence or two for each.
 */
final class Explanation {
  private static final double MIB = 1 << 20;

  /** Parts below these are not worth a sentence. */
  private static final double MUCH = 0.1;

  private static final double VERY_BURSTY = 3;

  /** Netty holds so many times as much as is live before it is worth a sentence. */
  private static final double WASTEFUL = 2;

  /** What is held beyond what is live is not worth a sentence below that. */
  private static final double LEAST_MIB = 1;

  private final TraceProfile trace;
  private final List<Map<String, @Nullable Object>> rows;
  private final Formatter text = new Formatter(Locale.ROOT);

  private Explanation(TraceProfile trace, List<Map<String, @Nullable Object>> rows) {
    this.trace = trace;
    this.rows = rows;
  }

  /**
   * What there is to say.
   *
   * @param rows of replays; allocators that are not among them are not spoken of
   */
  static List<String> of(TraceProfile trace, List<Map<String, @Nullable Object>> rows) {
    Explanation explanation = new Explanation(trace, rows);
    explanation.ofTrace();
    explanation.ofNetty(
        "netty-pooled",
        "Smaller ones help: -Dio.netty.allocator.maxOrder=7 makes them 1 MiB instead of 4.");
    explanation.ofNetty("netty-adaptive", "No setting of it was tried here.");
    explanation.ofWeir();
    explanation.ofIdleTime();
    return explanation.text.toString().lines().toList();
  }

  private void ofTrace() {
    text.format(
        "%,d buffers of %,d bytes on average in %.1f s; at most %s MiB are live at once.%n",
        trace.buffers(), trace.meanBytes(), trace.seconds(), Bytes.mib(trace.peakLiveBytes()));
    if (trace.soonPart() > 1 - MUCH) {
      text.format(
          "%s end within 10 ms. Each allocator serves such buffers from a cache of the thread: its"
              + " speed counts more than its memory.%n",
          percent(trace.soonPart()));
    }
    if (trace.burst() > VERY_BURSTY) {
      text.format(
          "The peak is %.1f times the mean. Netty's allocators give back whole chunks, so they"
              + " may keep the peak; Weir gives back pages within its decay.%n",
          trace.burst());
    }
    if (trace.largePart() > MUCH) {
      text.format(
          "%s of the bytes are in buffers above 4 MiB. netty-pooled does not pool those: each is"
              + " taken from the system and touched anew.%n",
          percent(trace.largePart()));
    }
    if (trace.elsewherePart() > MUCH) {
      text.format(
          "%s of the releases come from another thread than the allocation, which is slower on"
              + " every allocator. Allocating on the event loop that releases helps. The replay"
              + " here has one thread and does not show it.%n",
          percent(trace.elsewherePart()));
    }
    if (trace.growthPart() > MUCH) {
      text.format(
          "There are %.2f growths for each buffer. Each is a copy where the block cannot stay in"
              + " its place. A larger initial capacity helps every allocator.%n",
          trace.growthPart());
    }
    if (trace.leftPart() > 1 - MUCH) {
      text.format("Nearly all of the peak is live at the end: a cache, or a leak.%n");
    }
  }

  /** By the allocator's own count: that of the process has the JVM's memory in it. */
  private void ofNetty(String allocator, String remedy) {
    Map<String, @Nullable Object> row = row(allocator);
    double held = mib(row, "peakResidentBytes");
    double live = mib(row, "peakLiveBytes");
    if (held > WASTEFUL * live && held - live > LEAST_MIB) {
      text.format(
          "%s holds up to %.1f MiB for %.1f that are live: a chunk stays until its last buffer"
              + " ends. %s%n",
          allocator, held, live, remedy);
    }
    Double refusals = figure(row, "refusals");
    if (refusals != null && refusals > 0) {
      text.format("%s refuses %,.0f buffers.%n", allocator, refusals);
    }
  }

  private void ofWeir() {
    Map<String, @Nullable Object> weir = row("weir");
    if (!(weir.get("peak") instanceof Map<?, ?> peak)) {
      return;
    }
    double dirty = mib(peak, "dirtyBytes");
    double slots = mib(peak, "freeSlotBytes");
    double rounding = mib(peak, "roundingBytes");
    if (Math.max(dirty, Math.max(slots, rounding)) < LEAST_MIB) {
      text.format(
          "weir keeps less than 1 MiB of any kind beyond what is live: no setting is needed.%n");
    } else if (dirty >= slots && dirty >= rounding) {
      text.format(
          "Most of what weir holds beyond what is live are free pages (%.1f MiB), kept for the"
              + " next burst. A shorter decay gives them back sooner (--what-if %s).%n",
          dirty, TraceRows.SHORTER_DECAY);
      sayWhatHelps(weir, "weir " + TraceRows.SHORTER_DECAY);
    } else if (slots >= rounding) {
      text.format(
          "Most of what weir holds beyond what is live are free slots (%.1f MiB). The preset dense"
              + " gives their pages back (--what-if preset=dense).%n",
          slots);
    } else {
      text.format(
          "Most of what weir holds beyond what is live is rounding (%.1f MiB): no setting helps."
              + " Sizes at or just below a size class do.%n",
          rounding);
    }
    sayWhatHelps(weir, "weir+dense");
  }

  /** While at least half of the peak is live, as means are. */
  private void sayWhatHelps(Map<String, @Nullable Object> weir, String label) {
    Map<String, @Nullable Object> other = row(label);
    if (figure(weir, "meanResidentBytes") != null && figure(other, "meanResidentBytes") != null) {
      text.format(
          "Under load %s holds %.1f MiB on average, weir %.1f, for %.1f live; page faults %,.0f,"
              + " weir %,.0f.%n",
          label,
          mib(other, "meanResidentBytes"),
          mib(weir, "meanResidentBytes"),
          mib(weir, "meanLiveBytes"),
          figure(other, "pageFaults"),
          figure(weir, "pageFaults"));
    }
  }

  private void ofIdleTime() {
    List<String> held = new ArrayList<>();
    for (Map<String, @Nullable Object> row : rows) {
      if (row.get("idle") instanceof Map<?, ?> idle && figure(idle, "residentBytes") != null) {
        held.add(
            String.format(
                Locale.ROOT, "%s %.1f", row.get("allocator"), mib(idle, "residentBytes")));
      }
    }
    if (!held.isEmpty()) {
      text.format("After 2 s of rest they hold, in MiB: %s.%n", String.join(", ", held));
    }
  }

  private Map<String, @Nullable Object> row(String allocator) {
    return rows.stream()
        .filter(row -> allocator.equals(row.get("allocator")))
        .findFirst()
        .orElse(Map.of());
  }

  private static String percent(double part) {
    return String.format(Locale.ROOT, "%.0f %%", 100 * part);
  }

  private static double mib(Map<?, ?> map, String field) {
    Double bytes = figure(map, field);
    return bytes == null ? 0 : bytes / MIB;
  }
}
