package dev.weir.streams;

import dev.weir.cache.log.LogCache;
import dev.weir.cache.log.LogRead;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * The newest bytes of all streams in memory, as far as there is room. What is not here is in the
 * WAL, in a spool file or in a segment: so nothing depends on it but speed. Any thread.
 */
interface TailCache {
  /** Without memory. */
  TailCache NONE = new NoTail();

  /** In a cache, which belongs to its maker. */
  static TailCache in(LogCache cache) {
    return new TailInMemory(cache);
  }

  /** Adds the bytes of an append, if there is room: a copy is made. */
  void offer(long walPosition, long streamId, long offset, ByteBuffer bytes);

  /** What there is of a range; to be closed. */
  LogRead read(long streamId, long from, long to, long maxBytes);

  /** Everything up to a position of the WAL is in segments. */
  void flushed(long walPosition);

  /** A stream is gone. */
  void remove(long streamId);

  /** How much it takes before its content has to be flushed; {@code Long.MAX_VALUE}: any. */
  long capacityBytes();

  /** Keeps what a log cache takes; offsets are bytes. */
  record TailInMemory(LogCache cache) implements TailCache {
    @Override
    public void offer(long walPosition, long streamId, long offset, ByteBuffer bytes) {
      if (bytes.hasRemaining() && bytes.remaining() <= cache.maxBatchBytes()) {
        // A refusal leaves a gap, which readers fill from the WAL.
        boolean _ =
            cache.tryPut(
                walPosition, streamId, offset, bytes.remaining(), MemorySegment.ofBuffer(bytes));
      }
    }

    @Override
    public LogRead read(long streamId, long from, long to, long maxBytes) {
      return cache.read(streamId, from, to, maxBytes);
    }

    @Override
    public void flushed(long walPosition) {
      cache.flushed(walPosition);
    }

    @Override
    public void remove(long streamId) {
      cache.delete(streamId);
    }

    @Override
    public long capacityBytes() {
      return cache.maxBatchBytes() * 4;
    }
  }

  /** Keeps nothing. */
  record NoTail() implements TailCache {
    @Override
    public void offer(long walPosition, long streamId, long offset, ByteBuffer bytes) {}

    @Override
    public LogRead read(long streamId, long from, long to, long maxBytes) {
      return LogRead.MISS;
    }

    @Override
    public void flushed(long walPosition) {}

    @Override
    public void remove(long streamId) {}

    @Override
    public long capacityBytes() {
      return Long.MAX_VALUE;
    }
  }
}
