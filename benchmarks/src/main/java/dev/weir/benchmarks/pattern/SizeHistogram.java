package dev.weir.benchmarks.pattern;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NoSuchElementException;
import java.util.StringTokenizer;
import java.util.TreeMap;

/**
 * How often each size was asked for. As text: a line {@code SIZE COUNT} for each size; lines that
 * begin with {@code #} say how the counts were made.
 */
public final class SizeHistogram {
  private final NavigableMap<Integer, Long> counts;
  private final long total;
  private final long leftOut;

  private SizeHistogram(Map<Integer, Long> counts, long leftOut) {
    this.counts = new TreeMap<>(counts);
    this.leftOut = leftOut;
    this.total = this.counts.values().stream().reduce(0L, SizeHistogram::sum);
    if (counts.isEmpty()) {
      throw new IllegalArgumentException(
          "a histogram needs at least one size up to %d MiB".formatted(SizeMix.MAX_BYTES >> 20));
    }
  }

  /**
   * Reads what {@link #lines} wrote. Sizes above {@link SizeMix#MAX_BYTES} are left out and
   * counted.
   *
   * @throws IllegalArgumentException if it is no such text, or has no size that a mix may have; the
   *     message quotes the line
   */
  public static SizeHistogram parse(String text) {
    Map<Integer, Long> counts = new TreeMap<>();
    Map<Integer, Long> tooLarge = new TreeMap<>();
    text.lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty() && !line.startsWith("#"))
        .forEach(line -> {
          StringTokenizer words = new StringTokenizer(line);
          try {
            int size = Integer.parseInt(words.nextToken());
            long count = Long.parseLong(words.nextToken());
            requireAtLeastOne(size, count);
            (size > SizeMix.MAX_BYTES ? tooLarge : counts).merge(size, count, SizeHistogram::sum);
          } catch (NumberFormatException | NoSuchElementException malformed) {
            throw new IllegalArgumentException(
                "'%s' is no line 'SIZE COUNT' of a histogram".formatted(line), malformed);
          }
        });
    return new SizeHistogram(counts, tooLarge.values().stream().reduce(0L, SizeHistogram::sum));
  }

  private static void requireAtLeastOne(int size, long count) {
    if (size < 1 || count < 1) {
      throw new IllegalArgumentException(
          "'%d %d' is no size with a count, both above 0".formatted(size, count));
    }
  }

  private static long sum(long some, long more) {
    try {
      return Math.addExact(some, more);
    } catch (ArithmeticException overflow) {
      throw new IllegalArgumentException("the counts add up to more than 2^63 - 1", overflow);
    }
  }

  /** The lines of the file, the smallest size first. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    counts.forEach((size, count) -> lines.add(size + " " + count));
    return lines;
  }

  /** The smallest size that at least the given share of all requests does not exceed. */
  public int quantile(double share) {
    double below = 0;
    for (Map.Entry<Integer, Long> entry : counts.entrySet()) {
      below += entry.getValue();
      if (below >= share * total) {
        return entry.getKey();
      }
    }
    return counts.lastKey();
  }

  /** The mean size. */
  public double meanBytes() {
    double bytes = 0;
    for (Map.Entry<Integer, Long> entry : counts.entrySet()) {
      bytes += (double) entry.getKey() * entry.getValue();
    }
    return bytes / total;
  }

  /** How many requests of larger sizes the text had. */
  public long leftOut() {
    return leftOut;
  }

  /** How many requests it counts. */
  public long total() {
    return total;
  }
}
