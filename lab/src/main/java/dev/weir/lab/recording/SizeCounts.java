package dev.weir.lab.recording;

import dev.weir.lab.trace.TracePhase;
import dev.weir.lab.trace.TraceSink;
import java.util.Map;
import java.util.TreeMap;

/** How often a trace asks for blocks of each size. Not thread-safe. */
final class SizeCounts implements TraceSink {
  private final TreeMap<Integer, Long> counts = new TreeMap<>();
  private long total;
  private double bytes;

  SizeCounts() {}

  @Override
  public void allocate(int slot, int size) {
    counts.merge(size, 1L, Long::sum);
    total++;
    bytes += size;
  }

  @Override
  public void release(int slot) {}

  /** A growth is not counted: no block of that size was asked for at once. */
  @Override
  public void grow(int slot, int size) {}

  @Override
  public void phase(TracePhase phase) {}

  @Override
  public void pause(long micros) {}

  /** How many blocks there were. */
  long total() {
    return total;
  }

  /** Their mean size; 0 without any. */
  double meanBytes() {
    return total == 0 ? 0 : bytes / total;
  }

  /** The smallest size that a share of all blocks does not exceed; 0 without any. */
  int quantile(double share) {
    long below = 0;
    for (Map.Entry<Integer, Long> size : counts.entrySet()) {
      below += size.getValue();
      if (below >= share * total) {
        return size.getKey();
      }
    }
    return 0;
  }

  /** The counts, the smallest size first. */
  Map<Integer, Long> counts() {
    return counts;
  }
}
