package dev.weir.cache.log;

import dev.weir.cache.seq.SeqAllocator;
import dev.weir.cache.seq.SeqOptions;
import dev.weir.cache.seq.SeqOwner;
import dev.weir.memory.Pool;
import dev.weir.memory.budget.Budget;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The batches of a log cache and their accounting. All methods under the cache's lock.
 *
 * <p>What is dropped to make room is always the beginning of a stream. So what is cached of a
 * stream has no gaps but those of its puts.
 */
final class LogIndex implements SeqOwner {
  static final int FRESH_LANE = 0;

  /** After a put so much may be copied out of mostly dead chunks: some 50 microseconds of work. */
  private static final long COMPACTION_BYTES = 256 << 10;

  private final SeqAllocator memory;
  private final Map<Long, StreamIndex> streams = new HashMap<>();
  private final ChunkMarks marks = new ChunkMarks();

  private long batches;
  private long batchBytes;
  private long unflushedBytes;
  private long indexHeapBytes;
  private long flushedSequence = Long.MIN_VALUE;
  private long lastSequence = Long.MIN_VALUE;
  private long evictedBytes;

  LogIndex(Pool pool, Budget budget, int chunkBytes) {
    SeqOptions options =
        SeqOptions.defaults().withChunkBytes(chunkBytes).withAlignment(Integer.BYTES);
    this.memory = new SeqAllocator(pool, budget, options, this);
  }

  SeqAllocator memory() {
    return memory;
  }

  long batches() {
    return batches;
  }

  long batchBytes() {
    return batchBytes;
  }

  long unflushedBytes() {
    return unflushedBytes;
  }

  long indexHeapBytes() {
    return indexHeapBytes;
  }

  long evictedBytes() {
    return evictedBytes;
  }

  int streams() {
    return streams.size();
  }

  /**
   * Puts a batch behind the others of its stream.
   *
   * @return whether there was room
   */
  boolean tryPut(long sequence, long stream, long baseOffset, int count, MemorySegment bytes) {
    if (sequence < lastSequence) {
      throw new IllegalArgumentException(
          "sequence %d of a batch of stream %d is below the last one, %d"
              .formatted(sequence, stream, lastSequence));
    }
    StreamIndex index = streams.get(stream);
    if (index != null && baseOffset < endOffset(index.last())) {
      throw new IllegalArgumentException(
          "batch of stream %d begins at %d, before the end of what is cached, %d"
              .formatted(stream, baseOffset, endOffset(index.last())));
    }
    int blockBytes = BatchLayout.HEADER_BYTES + (int) bytes.byteSize();
    long position = memory.tryAllocate(blockBytes, FRESH_LANE);
    while (position == SeqAllocator.NONE && evictOldest()) {
      position = memory.tryAllocate(blockBytes, FRESH_LANE);
    }
    if (position == SeqAllocator.NONE) {
      return false;
    }
    boolean added = false;
    try {
      BatchLayout.write(memory.segment(position), stream, baseOffset, sequence, count, bytes);
      add(stream, position);
      added = true;
    } finally {
      if (!added) {
        memory.free(position);
      }
    }
    lastSequence = sequence;
    batches++;
    batchBytes += bytes.byteSize();
    ChunkMarks.Mark mark = marks.of(SeqAllocator.chunkNumber(position));
    mark.add(sequence);
    if (sequence > flushedSequence) {
      mark.unflushedBytes += bytes.byteSize();
      unflushedBytes += bytes.byteSize();
    }
    memory.compact(COMPACTION_BYTES);
    return true;
  }

  /** Looked up anew: evicting may have dropped the stream's index meanwhile. */
  private void add(long stream, long position) {
    StreamIndex index = streams.get(stream);
    if (index == null) {
      index = new StreamIndex();
      streams.put(stream, index);
      indexHeapBytes += index.heapBytes();
    }
    long before = index.heapBytes();
    index.addLast(position);
    indexHeapBytes += index.heapBytes() - before;
  }

  @Nullable StreamIndex stream(long stream) {
    return streams.get(stream);
  }

  long baseOffset(long position) {
    return memory.longAt(position, BatchLayout.BASE);
  }

  long endOffset(long position) {
    return baseOffset(position) + memory.intAt(position, BatchLayout.COUNT);
  }

  long sequence(long position) {
    return memory.longAt(position, BatchLayout.SEQUENCE);
  }

  int byteSize(long position) {
    return memory.length(position) - BatchLayout.HEADER_BYTES;
  }

  /** The first batch of a stream that ends behind an offset; its size if there is none. */
  int firstEndingBehind(StreamIndex index, long offset) {
    int low = 0;
    int high = index.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (endOffset(index.get(middle)) > offset) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /** Everything up to a sequence number is flushed, and may be evicted. */
  void flushed(long sequence) {
    if (sequence <= flushedSequence) {
      return;
    }
    flushedSequence = sequence;
    for (int chunk = 0; chunk < marks.end(); chunk++) {
      ChunkMarks.Mark mark = marks.get(chunk);
      if (mark == null || mark.unflushedBytes == 0 || mark.minSequence > sequence) {
        continue;
      }
      long left = mark.maxSequence <= sequence ? 0 : countUnflushed(chunk);
      unflushedBytes -= mark.unflushedBytes - left;
      mark.unflushedBytes = left;
    }
  }

  private long countUnflushed(int chunk) {
    long[] sum = new long[1];
    memory.forEachLive(
        chunk,
        (position, bytes) -> {
          if (sequence(position) > flushedSequence) {
            sum[0] += bytes - BatchLayout.HEADER_BYTES;
          }
        });
    return sum[0];
  }

  /**
   * Drops the chunk whose latest batch is oldest, if all of it is flushed, and all that is older in
   * the streams concerned.
   */
  boolean evictOldest() {
    int chunk = marks.oldestFlushed();
    if (chunk < 0) {
      return false;
    }
    long before = batchBytes;
    memory.forEachLive(
        chunk,
        (position, bytes) ->
            dropBefore(memory.longAt(position, BatchLayout.STREAM), endOffset(position)));
    evictedBytes += before - batchBytes;
    return true;
  }

  /** Drops the batches of a stream that end at an offset or before. */
  void dropBefore(long stream, long offset) {
    StreamIndex index = streams.get(stream);
    if (index == null) {
      return;
    }
    long heapBefore = index.heapBytes();
    while (!index.isEmpty() && endOffset(index.get(0)) <= offset) {
      long position = index.get(0);
      index.removeFirst();
      free(position);
    }
    changed(stream, index, heapBefore);
  }

  /** Drops the batches of a stream that begin at an offset or behind it. */
  void dropFrom(long stream, long offset) {
    StreamIndex index = streams.get(stream);
    if (index == null) {
      return;
    }
    int first = firstEndingBehind(index, offset);
    if (first < index.size() && baseOffset(index.get(first)) < offset) {
      throw new IllegalArgumentException(
          "offset %d lies inside a batch of stream %d, %d to %d: cut at an end of it"
              .formatted(
                  offset, stream, baseOffset(index.get(first)), endOffset(index.get(first))));
    }
    long heapBefore = index.heapBytes();
    while (!index.isEmpty() && baseOffset(index.last()) >= offset) {
      long position = index.last();
      index.removeLast();
      free(position);
    }
    changed(stream, index, heapBefore);
  }

  private void changed(long stream, StreamIndex index, long heapBefore) {
    indexHeapBytes -= heapBefore;
    if (index.isEmpty()) {
      streams.remove(stream);
    } else {
      indexHeapBytes += index.heapBytes();
    }
  }

  private void free(long position) {
    int bytes = byteSize(position);
    batches--;
    batchBytes -= bytes;
    if (sequence(position) > flushedSequence) {
      marks.of(SeqAllocator.chunkNumber(position)).unflushedBytes -= bytes;
      unflushedBytes -= bytes;
    }
    memory.free(position);
  }

  @Override
  public void moved(long from, long to, int bytes) {
    long sequence = sequence(to);
    StreamIndex index = streams.get(memory.longAt(to, BatchLayout.STREAM));
    int place = index == null ? 0 : firstEndingBehind(index, baseOffset(to));
    if (index == null || place == index.size() || index.get(place) != from) {
      throw new IllegalStateException(
          "batch at 0x%x that moves to 0x%x is in no stream".formatted(from, to));
    }
    index.set(place, to);
    ChunkMarks.Mark mark = marks.of(SeqAllocator.chunkNumber(to));
    mark.add(sequence);
    if (sequence > flushedSequence) {
      mark.unflushedBytes += bytes - BatchLayout.HEADER_BYTES;
      marks.of(SeqAllocator.chunkNumber(from)).unflushedBytes -= bytes - BatchLayout.HEADER_BYTES;
    }
  }

  @Override
  public void chunkEnded(int chunk) {
    marks.remove(chunk);
  }

  /** Copies stragglers of what was dropped, in proportion to that. */
  void compactAfter(long droppedBytes) {
    memory.compact(Math.max(COMPACTION_BYTES, 2 * droppedBytes));
  }

  void close() {
    streams.clear();
    memory.close();
    batches = 0;
    batchBytes = 0;
    unflushedBytes = 0;
    indexHeapBytes = 0;
  }

  /** Walks everything and compares. */
  void checkInvariants() {
    memory.checkInvariants();
    long foundBatches = 0;
    long foundBytes = 0;
    long foundUnflushed = 0;
    long foundHeap = 0;
    long foundBlocks = 0;
    long[] unflushedOfChunks = new long[marks.end()];
    for (Map.Entry<Long, StreamIndex> entry : streams.entrySet()) {
      StreamIndex index = entry.getValue();
      foundHeap += index.heapBytes();
      long end = Long.MIN_VALUE;
      long sequence = Long.MIN_VALUE;
      for (int i = 0; i < index.size(); i++) {
        long position = index.get(i);
        require(memory.longAt(position, BatchLayout.STREAM) == entry.getKey(), "stream of a batch");
        require(baseOffset(position) >= end, "order of offsets");
        require(sequence(position) >= sequence, "order of sequences");
        end = endOffset(position);
        sequence = sequence(position);
        foundBatches++;
        foundBytes += byteSize(position);
        foundBlocks += memory.length(position);
        ChunkMarks.Mark mark = marks.get(SeqAllocator.chunkNumber(position));
        require(
            mark != null && mark.minSequence <= sequence && mark.maxSequence >= sequence, "mark");
        if (sequence > flushedSequence) {
          foundUnflushed += byteSize(position);
          unflushedOfChunks[SeqAllocator.chunkNumber(position)] += byteSize(position);
        }
      }
      require(index.size() > 0, "stream without batches");
    }
    require(foundBatches == batches, "batches " + batches + ", found " + foundBatches);
    require(foundBytes == batchBytes, "bytes " + batchBytes + ", found " + foundBytes);
    require(foundBlocks == memory.figures().liveBytes(), "blocks that are in no stream");
    require(foundHeap == indexHeapBytes, "heap " + indexHeapBytes + ", found " + foundHeap);
    require(
        foundUnflushed == unflushedBytes,
        "unflushed " + unflushedBytes + ", found " + foundUnflushed);
    for (int chunk = 0; chunk < marks.end(); chunk++) {
      ChunkMarks.Mark mark = marks.get(chunk);
      require(
          (mark == null ? 0 : mark.unflushedBytes) == unflushedOfChunks[chunk],
          "unflushed of chunk " + chunk);
    }
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }
}
