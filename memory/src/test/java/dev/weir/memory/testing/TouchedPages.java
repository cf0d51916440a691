package dev.weir.memory.testing;

import dev.weir.memory.Block;
import java.util.HashMap;
import java.util.Map;

/**
 * The OS pages that blocks lie on: what the bound is about. Counted block by block, so that a
 * million of them can come and go.
 */
public final class TouchedPages {
  /** The page of the fake operating system. */
  private static final long PAGE_BYTES = 4096;

  private static final int CHUNK_SHIFT = 9;
  private static final int CHUNK_MASK = (1 << CHUNK_SHIFT) - 1;

  /** What is larger is a run: whole pages. */
  private static final int MAX_SLOT_BYTES = 65_536;

  /** Of each page, how many blocks lie on it; by the number of the page. */
  private final Map<Long, int[]> chunks = new HashMap<>();

  private long touchedPages;

  /** A block has been allocated. */
  public void add(Block block) {
    long last = (block.address() + block.size() - 1) / PAGE_BYTES;
    for (long page = block.address() / PAGE_BYTES; page <= last; page++) {
      int[] chunk = chunks.computeIfAbsent(page >> CHUNK_SHIFT, key -> new int[1 << CHUNK_SHIFT]);
      if (chunk[(int) page & CHUNK_MASK]++ == 0) {
        touchedPages++;
      }
    }
  }

  /** A block is about to be released. */
  public void remove(Block block) {
    remove(block.address(), block.size());
  }

  /** A block that had so many bytes has gone from there. */
  public void remove(long address, long bytes) {
    long last = (address + bytes - 1) / PAGE_BYTES;
    for (long page = address / PAGE_BYTES; page <= last; page++) {
      int[] chunk = chunks.get(page >> CHUNK_SHIFT);
      if (chunk == null || chunk[(int) page & CHUNK_MASK] == 0) {
        throw new AssertionError("no block lies on page 0x%x".formatted(page * PAGE_BYTES));
      }
      if (--chunk[(int) page & CHUNK_MASK] == 0) {
        touchedPages--;
      }
    }
  }

  /** The bytes of the pages on which a block lies. */
  public long bytes() {
    return touchedPages * PAGE_BYTES;
  }

  /** What a request may need: runs are whole pages, a slot may begin and end inside pages. */
  public static long neededBytes(long bytes) {
    return bytes > MAX_SLOT_BYTES
        ? Math.ceilDiv(bytes, PAGE_BYTES) * PAGE_BYTES
        : (Math.ceilDiv(bytes + bytes / 8, PAGE_BYTES) + 1) * PAGE_BYTES;
  }
}
