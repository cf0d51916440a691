package dev.weir.lab.cachefragmentation;

import dev.weir.lab.trace.SlotNumbers;
import dev.weir.lab.trace.TraceSink;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The same caches as services build them on a {@code ByteBufAllocator}: a buffer for each record,
 * first in, first out, and a buffer of 1 MiB for each page, least recently used out first. Both
 * count the bytes that they were asked to keep. What happens to the buffers goes to a sink; a
 * buffer that is refused there counts here as if it were cached.
 */
final class ActCaches implements CacheStack {
  private static final int PAGE_BYTES = 1 << 20;

  private final TraceSink sink;
  private final CachePlan plan;
  private final SlotNumbers slots = new SlotNumbers();
  private final Deque<CachedRecord> fifo = new ArrayDeque<>();
  private final Map<Long, List<CachedRecord>> streams = new HashMap<>();
  private final Map<Long, Buffer> pages = new LinkedHashMap<>(16, 0.75f, /* accessOrder= */ true);
  private final @Nullable Buffer[] held = new Buffer[WeirCaches.HELD_READS];
  private int nextHeld;
  private long flushedSequence;
  private long recordBytes;

  /** A buffer, and how many hold it. */
  private static final class Buffer {
    final int slot;
    final int bytes;
    int holders = 1;

    Buffer(int slot, int bytes) {
      this.slot = slot;
      this.bytes = bytes;
    }
  }

  /** A record; without its buffer once it is evicted or deleted. */
  private static final class CachedRecord {
    final long sequence;
    final long stream;
    @Nullable Buffer buffer;

    CachedRecord(long sequence, long stream, Buffer buffer) {
      this.sequence = sequence;
      this.stream = stream;
      this.buffer = buffer;
    }
  }

  ActCaches(TraceSink sink, CachePlan plan) {
    this.sink = sink;
    this.plan = plan;
  }

  @Override
  public boolean append(long sequence, long stream, long offset, int bytes) {
    while (recordBytes + bytes > plan.logBytes()) {
      CachedRecord oldest = fifo.peek();
      if (oldest == null || oldest.sequence > flushedSequence) {
        return false;
      }
      fifo.remove();
      drop(oldest);
      List<CachedRecord> stillCached = streams.get(oldest.stream);
      if (stillCached != null) {
        stillCached.remove(oldest);
      }
    }
    CachedRecord added = new CachedRecord(sequence, stream, buffer(bytes));
    recordBytes += bytes;
    fifo.add(added);
    streams.computeIfAbsent(stream, ignored -> new ArrayList<>()).add(added);
    return true;
  }

  private Buffer buffer(int bytes) {
    Buffer buffer = new Buffer(slots.take(), bytes);
    try {
      sink.allocate(buffer.slot, bytes);
    } catch (IOException gone) {
      throw new UncheckedIOException(gone);
    }
    return buffer;
  }

  private void release(Buffer buffer) {
    if (--buffer.holders == 0) {
      slots.tryGive(buffer.slot);
      try {
        sink.release(buffer.slot);
      } catch (IOException gone) {
        throw new UncheckedIOException(gone);
      }
    }
  }

  private void drop(CachedRecord dropped) {
    Buffer buffer = dropped.buffer;
    if (buffer != null) {
      dropped.buffer = null;
      recordBytes -= buffer.bytes;
      release(buffer);
    }
  }

  @Override
  public void flushed(long sequence) {
    flushedSequence = sequence;
  }

  @Override
  public void delete(long stream) {
    List<CachedRecord> records = streams.remove(stream);
    if (records != null) {
      records.forEach(this::drop);
    }
  }

  @Override
  public void readTail(long stream, long endOffset) {
    List<CachedRecord> records = streams.getOrDefault(stream, List.of());
    Buffer newest = records.isEmpty() ? null : records.getLast().buffer;
    Buffer released = held[nextHeld];
    held[nextHeld] = newest;
    nextHeld = (nextHeld + 1) % held.length;
    if (newest != null) {
      newest.holders++;
    }
    if (released != null) {
      release(released);
    }
  }

  @Override
  public boolean readPage(int object, int page) {
    long key = ((long) object << Integer.SIZE) | page;
    if (pages.get(key) != null) {
      return true;
    }
    if ((pages.size() + 1L) * PAGE_BYTES > plan.blockBytes()) {
      Iterator<Buffer> leastRecentlyUsed = pages.values().iterator();
      release(leastRecentlyUsed.next());
      leastRecentlyUsed.remove();
    }
    pages.put(key, buffer(PAGE_BYTES));
    return true;
  }

  @Override
  public long cachedBytes() {
    return recordBytes + (long) pages.size() * PAGE_BYTES;
  }

  @Override
  public void close() {
    for (Buffer read : held) {
      if (read != null) {
        release(read);
      }
    }
    fifo.forEach(this::drop);
    pages.values().forEach(this::release);
    pages.clear();
  }
}
