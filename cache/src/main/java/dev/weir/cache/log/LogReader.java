package dev.weir.cache.log;

import dev.weir.cache.CacheSlice;
import dev.weir.cache.seq.SeqAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One read of a log cache: collects slices under the lock, and copies outside it what readers may
 * not pin. Until it is copied it is pinned beyond the limit.
 */
final class LogReader {
  private final long startOffset;
  private final long endOffset;
  private final List<CachedBatch> batches = new ArrayList<>();

  /** From this batch on they are to be copied. */
  private int firstToCopy = Integer.MAX_VALUE;

  private long copiedBytes;

  LogReader(long startOffset, long endOffset) {
    this.startOffset = startOffset;
    this.endOffset = endOffset;
  }

  /** Under the cache's lock. What it holds when this throws, {@link #release} gives back. */
  void collect(LogIndex index, long stream, long maxBytes, long mostPinnedBytes) {
    StreamIndex batchesOfStream = index.stream(stream);
    if (batchesOfStream == null) {
      return;
    }
    long sum = 0;
    long next = -1;
    for (int i = index.firstEndingBehind(batchesOfStream, startOffset);
        i < batchesOfStream.size();
        i++) {
      long position = batchesOfStream.get(i);
      long base = index.baseOffset(position);
      int bytes = index.byteSize(position);
      if (base >= endOffset || (next >= 0 && (base != next || sum + bytes > maxBytes))) {
        return;
      }
      add(index.memory(), position, base, index.endOffset(position), bytes, mostPinnedBytes);
      sum += bytes;
      next = index.endOffset(position);
    }
  }

  private void add(
      SeqAllocator memory, long position, long base, long end, int bytes, long mostPinnedBytes) {
    CacheSlice slice = null;
    if (firstToCopy == Integer.MAX_VALUE) {
      slice = memory.trySlice(position, BatchLayout.HEADER_BYTES, bytes, mostPinnedBytes);
    }
    if (slice == null) {
      firstToCopy = Math.min(firstToCopy, batches.size());
      slice = memory.trySlice(position, BatchLayout.HEADER_BYTES, bytes, Long.MAX_VALUE);
    }
    if (slice == null) {
      throw new IllegalStateException("chunk of a cached batch has been dropped");
    }
    boolean added = false;
    try {
      batches.add(new CachedBatch(base, end, slice));
      added = true;
    } finally {
      if (!added) {
        slice.release();
      }
    }
  }

  /**
   * Copies what is to be copied.
   *
   * @param copier makes a slice with a copy, or null where there is no memory: the read ends there
   */
  LogRead finish(Function<CacheSlice, @Nullable CacheSlice> copier) {
    boolean finished = false;
    try {
      for (int i = firstToCopy; i < batches.size(); i++) {
        CachedBatch original = batches.get(i);
        CacheSlice copy = copier.apply(original.bytes());
        if (copy == null) {
          releaseFrom(i);
          break;
        }
        copiedBytes += copy.byteSize();
        batches.set(i, new CachedBatch(original.baseOffset(), original.endOffset(), copy));
        original.bytes().release();
      }
      finished = true;
    } finally {
      if (!finished) {
        release();
      }
    }
    if (batches.isEmpty()) {
      return firstToCopy == Integer.MAX_VALUE ? LogRead.MISS : LogRead.REFUSED;
    }
    boolean hasStart = batches.getFirst().baseOffset() <= startOffset;
    boolean hasEnd = batches.getLast().endOffset() >= endOffset;
    LogRead.Kind kind =
        hasStart
            ? hasEnd ? LogRead.Kind.HIT : LogRead.Kind.PREFIX
            : hasEnd ? LogRead.Kind.SUFFIX : LogRead.Kind.MIDDLE;
    return new LogRead(kind, List.copyOf(batches));
  }

  long copiedBytes() {
    return copiedBytes;
  }

  void release() {
    releaseFrom(0);
  }

  private void releaseFrom(int first) {
    while (batches.size() > first) {
      batches.removeLast().bytes().release();
    }
  }
}
