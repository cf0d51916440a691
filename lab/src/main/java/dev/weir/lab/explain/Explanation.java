package dev.weir.lab.explain;

import static dev.weir.lab.report.JsonLines.figure;

import dev.weir.lab.report.Bytes;
import java.util.ArrayList;
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

  /** Weir's parts beyond what is live that settings help against, in MiB and of what is live. */
  private static final double LEAST_MIB = 1;

  private final TraceProfile trace;
  private final List<Map<String, @Nullable Object>> rows;
  private final List<String> lines = new ArrayList<>();

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
    explanation.ofNetty("netty-pooled");
    explanation.ofNetty("netty-adaptive");
    explanation.ofWeir();
    return explanation.lines;
  }

  private void ofTrace() {
    say(
        String.format(
            Locale.ROOT,
            "%,d buffers of %,d bytes on average in %.1f s; at most %s MiB are live at once.",
            trace.buffers(),
            trace.meanBytes(),
            trace.seconds(),
            Bytes.mib(trace.peakLiveBytes())));
    if (trace.soonPart() > 1 - MUCH) {
      say(
          String.format(
              Locale.ROOT,
              "%s end within 10 ms. Caches of threads serve them; what counts is the price of one.",
              percent(trace.soonPart())));
    }
    if (trace.burst() > VERY_BURSTY) {
      say(
          String.format(
              Locale.ROOT,
              "The peak is %.1f times the mean. An allocator that gives back whole chunks only"
                  + " keeps the peak; Weir gives back pages within its decay.",
              trace.burst()));
    }
    if (trace.largePart() > MUCH) {
      say(
          String.format(
              Locale.ROOT,
              "%s of the bytes are in buffers above 4 MiB, which Netty's pooled allocator does not"
                  + " pool: each is taken from the system and touched anew.",
              percent(trace.largePart())));
    }
    if (trace.elsewherePart() > MUCH) {
      say(
          String.format(
              Locale.ROOT,
              "%s of the releases come from another thread than the allocation. They pass by the"
                  + " caches of threads. Allocating on the event loop that releases helps any"
                  + " allocator.",
              percent(trace.elsewherePart())));
    }
    if (trace.growthPart() > MUCH) {
      say(
          String.format(
              Locale.ROOT,
              "There are %.2f growths for each buffer. Each is a copy, where the block cannot stay"
                  + " in its place. A larger first size helps any allocator.",
              trace.growthPart()));
    }
    if (trace.leftPart() > 1 - MUCH) {
      say("Nearly all of the peak is live at the end: a cache, or a leak.");
    }
  }

  private void ofNetty(String allocator) {
    Map<String, @Nullable Object> row = row(allocator);
    Double held = figure(row, "peakRssBytes");
    Double live = figure(row, "peakLiveBytes");
    if (held != null && live != null && held > WASTEFUL * live) {
      say(
          String.format(
              Locale.ROOT,
              "%s holds up to %.1f MiB for %.1f that are live: chunks stay until their last buffer"
                  + " ends.",
              allocator,
              held / MIB,
              live / MIB));
    }
    Double refusals = figure(row, "refusals");
    if (refusals != null && refusals > 0) {
      say(String.format(Locale.ROOT, "%s refuses %,.0f buffers.", allocator, refusals));
    }
  }

  private void ofWeir() {
    Map<String, @Nullable Object> weir = row("weir");
    if (weir.get("peak") instanceof Map<?, ?> peak) {
      double dirty = mib(peak, "dirtyBytes");
      double slots = mib(peak, "freeSlotBytes");
      double rounding = mib(peak, "roundingBytes");
      if (Math.max(dirty, Math.max(slots, rounding)) < LEAST_MIB) {
        say("weir keeps less than 1 MiB of any kind beyond what is live: no setting is needed.");
      } else if (dirty >= slots && dirty >= rounding) {
        say(
            String.format(
                Locale.ROOT,
                "Most of what weir holds beyond what is live are free pages (%.1f MiB): a shorter"
                    + " decay gives them back sooner (--what-if decay=100ms).",
                dirty));
      } else if (slots >= rounding) {
        say(
            String.format(
                Locale.ROOT,
                "Most of what weir holds beyond what is live are free slots (%.1f MiB): the preset"
                    + " dense gives their pages back (--what-if preset=dense).",
                slots));
      } else {
        say(
            String.format(
                Locale.ROOT,
                "Most of what weir holds beyond what is live is rounding (%.1f MiB): no setting"
                    + " helps. Sizes at or just below a size class do.",
                rounding));
      }
    }
    compareDense(weir, row("weir+dense"));
  }

  private void compareDense(
      Map<String, @Nullable Object> weir, Map<String, @Nullable Object> dense) {
    Double mean = figure(weir, "meanResidentBytes");
    Double denseMean = figure(dense, "meanResidentBytes");
    Double nanos = figure(weir, "nanosPerEvent");
    Double denseNanos = figure(dense, "nanosPerEvent");
    if (mean != null && denseMean != null && nanos != null && denseNanos != null) {
      say(
          String.format(
              Locale.ROOT,
              "The preset dense keeps %.1f MiB in the mean instead of %.1f, and takes %.0f ns an"
                  + " event instead of %.0f.",
              denseMean / MIB,
              mean / MIB,
              denseNanos,
              nanos));
    }
  }

  private void say(String sentence) {
    lines.add(sentence);
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
