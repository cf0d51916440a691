package dev.weir.lab.contender;

import dev.weir.lab.memory.LivePages;
import dev.weir.lab.trace.TracePhase;
import dev.weir.lab.trace.TraceSink;
import java.util.Arrays;

/**
 * The most that an allocator would hold that places each block behind the last one, never uses an
 * address again, and gives a page back the moment nothing on it lives. Reckoned from the events.
 * Not thread-safe.
 */
public final class SequentialBound implements TraceSink {
  private final LivePages pages = new LivePages();
  private final SequentialStore store = new SequentialStore(pages);
  private long[] addresses = new long[64];
  private int[] sizes = new int[64];
  private long peakBytes;

  /** Begins at nothing. */
  public SequentialBound() {}

  /** The most so far. */
  public long peakBytes() {
    return peakBytes;
  }

  @Override
  public void allocate(int slot, int bytes) {
    if (slot >= sizes.length) {
      int length = Math.max(slot + 1, sizes.length * 2);
      sizes = Arrays.copyOf(sizes, length);
      addresses = Arrays.copyOf(addresses, length);
    }
    sizes[slot] = bytes;
    addresses[slot] = store.allocate(slot, bytes);
    pages.add(addresses[slot], bytes);
    peakBytes = Math.max(peakBytes, pages.bytes());
  }

  @Override
  public void release(int slot) {
    pages.remove(addresses[slot], sizes[slot]);
  }

  @Override
  public void grow(int slot, int bytes) {
    release(slot);
    allocate(slot, bytes);
  }

  @Override
  public void phase(TracePhase phase) {}

  @Override
  public void pause(long micros) {}
}
