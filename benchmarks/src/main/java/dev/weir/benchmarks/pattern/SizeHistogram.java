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

  /**
   * A histogram of these counts.
   *
   * @throws IllegalArgumentException if there are none, or sizes or counts are out of range
   */
  public SizeHistogram(Map<Integer, Long> counts) {
    this.counts = new TreeMap<>(counts);
    this.total = this.counts.values().stream().mapToLong(Long::longValue).sum();
    if (counts.isEmpty()) {
      throw new IllegalArgumentException("a histogram needs at least one size");
    }
    counts.forEach((size, count) -> {
      if (size < 1 || size > SizeMix.MAX_BYTES || count < 1) {
        throw new IllegalArgumentException(
            "'%d %d' is no size from 1 to %d with a count above 0"
                .formatted(size, count, SizeMix.MAX_BYTES));
      }
    });
  }

  /**
   * Reads what {@link #lines} wrote.
   *
   * @throws IllegalArgumentException if it is no such text; the message quotes the line
   */
  public static SizeHistogram parse(String text) {
    Map<Integer, Long> counts = new TreeMap<>();
    text.lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty() && !line.startsWith("#"))
        .forEach(line -> {
          StringTokenizer words = new StringTokenizer(line);
          try {
            counts.merge(
                Integer.valueOf(words.nextToken()), Long.valueOf(words.nextToken()), Long::sum);
          } catch (NumberFormatException | NoSuchElementException malformed) {
            throw new IllegalArgumentException(
                "'%s' is no line 'SIZE COUNT' of a histogram".formatted(line), malformed);
          }
        });
    return new SizeHistogram(counts);
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

  /** How many requests it counts. */
  public long total() {
    return total;
  }
}
