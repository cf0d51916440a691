package dev.weir.lab.cachefragmentation;

import dev.weir.netty.refusal.MemoryRefusals;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
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
 * count the bytes that they were asked to keep.
 */
final class BufferCaches implements CacheStack {
  private static final int PAGE_BYTES = 1 << 20;

  private final ByteBufAllocator allocator;
  private final CachePlan plan;
  private final byte[] content = new byte[4 << 20];
  private final Deque<CachedRecord> fifo = new ArrayDeque<>();
  private final Map<Long, List<CachedRecord>> streams = new HashMap<>();
  private final Map<Long, ByteBuf> pages = new LinkedHashMap<>(16, 0.75f, /* accessOrder= */ true);
  private final @Nullable ByteBuf[] held = new ByteBuf[WeirCaches.HELD_READS];
  private int nextHeld;
  private long flushedSequence;
  private long recordBytes;

  /** A record; without its buffer once it is evicted or deleted. */
  private static final class CachedRecord {
    final long sequence;
    final long stream;
    @Nullable ByteBuf buffer;

    CachedRecord(long sequence, long stream, ByteBuf buffer) {
      this.sequence = sequence;
      this.stream = stream;
      this.buffer = buffer;
    }
  }

  BufferCaches(ByteBufAllocator allocator, CachePlan plan) {
    this.allocator = allocator;
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
    ByteBuf buffer = tryBuffer(bytes);
    if (buffer == null) {
      return false;
    }
    CachedRecord added = new CachedRecord(sequence, stream, buffer);
    recordBytes += bytes;
    fifo.add(added);
    streams.computeIfAbsent(stream, ignored -> new ArrayList<>()).add(added);
    return true;
  }

  private @Nullable ByteBuf tryBuffer(int bytes) {
    try {
      return allocator.directBuffer(bytes, bytes).writeBytes(content, 0, bytes);
    } catch (OutOfMemoryError refused) {
      MemoryRefusals.require(refused);
      return null;
    }
  }

  private void drop(CachedRecord dropped) {
    ByteBuf buffer = dropped.buffer;
    if (buffer != null) {
      dropped.buffer = null;
      recordBytes -= buffer.capacity();
      buffer.release();
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
    ByteBuf newest = records.isEmpty() ? null : records.getLast().buffer;
    ByteBuf released = held[nextHeld];
    held[nextHeld] = newest == null ? null : newest.retainedSlice();
    nextHeld = (nextHeld + 1) % held.length;
    if (released != null) {
      released.release();
    }
  }

  @Override
  public boolean readPage(int object, int page) {
    long key = ((long) object << Integer.SIZE) | page;
    if (pages.get(key) != null) {
      return true;
    }
    if ((pages.size() + 1L) * PAGE_BYTES > plan.blockBytes()) {
      Iterator<ByteBuf> leastRecentlyUsed = pages.values().iterator();
      leastRecentlyUsed.next().release();
      leastRecentlyUsed.remove();
    }
    ByteBuf buffer = tryBuffer(PAGE_BYTES);
    if (buffer == null) {
      return false;
    }
    pages.put(key, buffer);
    return true;
  }

  @Override
  public long cachedBytes() {
    return recordBytes + (long) pages.size() * PAGE_BYTES;
  }

  @Override
  public void close() {
    for (ByteBuf read : held) {
      if (read != null) {
        read.release();
      }
    }
    fifo.forEach(this::drop);
    pages.values().forEach(ByteBuf::release);
  }
}
