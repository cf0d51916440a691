package dev.weir.cache.guide;

import dev.weir.cache.log.LogCache;
import dev.weir.cache.log.LogCacheFullException;
import dev.weir.cache.log.LogCacheOptions;
import dev.weir.cache.log.LogRead;
import dev.weir.memory.Pool;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;

/** Events of many topics: the latest from memory, all of them in a file. */
final class Tail implements AutoCloseable {
  private final LogCache cache;
  private final FileChannel file;
  private long sequence;

  Tail(Pool pool, FileChannel file) {
    this.cache = LogCache.create(pool, pool.rootBudget(), LogCacheOptions.withCapacity(64 << 20));
    this.file = file;
  }

  /** Takes an event: number {@code offset} of its topic. */
  synchronized void append(long topic, long offset, byte[] event) throws IOException {
    file.write(ByteBuffer.wrap(event));
    try {
      cache.put(++sequence, topic, offset, 1, MemorySegment.ofArray(event));
    } catch (LogCacheFullException full) {
      sync(); // Now everything may be evicted.
      cache.put(sequence, topic, offset, 1, MemorySegment.ofArray(event));
    }
  }

  /** Makes durable what was appended: the cache may drop it when it needs room. */
  synchronized void sync() throws IOException {
    file.force(/* metaData= */ false);
    cache.flushed(sequence);
  }

  /** Sends the events from an offset on; tells the offset after the last one. */
  long send(long topic, long offset, WritableByteChannel to) throws IOException {
    try (LogRead read = cache.read(topic, offset, Long.MAX_VALUE, 1 << 20)) {
      for (var batch : read.batches()) {
        to.write(batch.bytes().segment().asByteBuffer());
      }
      return read.batches().isEmpty() ? offset : read.batches().getLast().endOffset();
    }
  }

  @Override
  public void close() {
    cache.close();
  }
}
