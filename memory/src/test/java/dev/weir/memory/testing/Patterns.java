package dev.weir.memory.testing;

import dev.weir.memory.Block;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Contents by which a block is known: a word of its own in its first, last and every 512th byte.
 */
public final class Patterns {
  private static final long STRIDE_BYTES = 512;

  private Patterns() {}

  /** Writes the pattern for a number over a block, every page of it included. */
  public static void fill(Block block, long number) {
    MemorySegment segment = block.segment();
    long last = segment.byteSize() - Long.BYTES;
    for (long at = 0; at < last; at += STRIDE_BYTES) {
      segment.set(ValueLayout.JAVA_LONG, at, word(number, at));
    }
    segment.set(ValueLayout.JAVA_LONG, last, word(number, last));
  }

  /** Fails unless the first so many bytes of a block still hold the pattern written before. */
  public static void verify(Block block, long number, long bytes) {
    MemorySegment segment = block.segment();
    for (long at = 0; at < bytes - Long.BYTES; at += STRIDE_BYTES) {
      long found = segment.get(ValueLayout.JAVA_LONG, at);
      if (found != word(number, at)) {
        throw new AssertionError(
            "%s: byte %d holds %x, not what was written".formatted(block, at, found));
      }
    }
  }

  /** As {@link #verify(Block, long, long)}, the whole block. */
  public static void verify(Block block, long number) {
    verify(block, number, block.size());
    long last = block.size() - Long.BYTES;
    if (block.segment().get(ValueLayout.JAVA_LONG, last) != word(number, last)) {
      throw new AssertionError(block + ": its end does not hold what was written");
    }
  }

  private static long word(long number, long at) {
    return (number * 0x9E3779B97F4A7C15L) ^ at;
  }
}
