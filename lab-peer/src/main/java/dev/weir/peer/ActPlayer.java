package dev.weir.peer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Allocates and releases direct buffers as the parent says, and writes to each. Acts are taken in
 * batches, so that the time that they take is that of the allocator and of writing.
 *
 * <pre>
 *   numbers of four bytes, the highest byte first
 *
 *   slot, bytes        a buffer of at least one byte begins, in a slot that is free
 *   slot, -bytes       the buffer in the slot gets another size; nothing if it was refused
 *   -1 - slot          the buffer in the slot ends; nothing if it was refused
 *   {@link #MARK}      the player says how it is
 *   the input's end    so does the player
 * </pre>
 */
final class ActPlayer {
  static final int MARK = Integer.MIN_VALUE;

  private static final int INPUT_BYTES = 256 << 10;
  private static final int CONTENT_BYTES = 4 << 20;
  private static final int PAGE_BYTES = 4096;
  private static final int BATCH = 256;
  private static final int RELEASE = 0;
  private static final double NANOS_PER_SECOND = 1e9;

  private final ByteBufAllocator allocator;

  /** Empty if only one byte of each page is written. */
  private final byte[] content;

  private final int[] slots = new int[BATCH];
  private final int[] sizes = new int[BATCH];
  private int count;
  private @Nullable ByteBuf[] buffers = new ByteBuf[1024];
  private long liveBytes;
  private long allocations;
  private long refused;
  private long acted;
  private long nanos;

  /** Writes every byte of each buffer, or else one byte of each page. */
  ActPlayer(ByteBufAllocator allocator, boolean writesBytes) {
    this.allocator = allocator;
    this.content = new byte[writesBytes ? CONTENT_BYTES : 0];
    Arrays.fill(content, (byte) 'w');
  }

  /** Plays until the parent closes the line. */
  void run() throws IOException {
    DataInputStream acts = new DataInputStream(new BufferedInputStream(System.in, INPUT_BYTES));
    try {
      while (true) {
        take(acts.readInt(), acts);
      }
    } catch (EOFException ended) {
      // The parent has nothing more to say, or is gone.
    }
  }

  private void take(int act, DataInputStream acts) throws IOException {
    if (act == MARK) {
      play();
      JsonLine.say(figures());
      return;
    }
    slots[count] = act < 0 ? -1 - act : act;
    sizes[count++] = act < 0 ? RELEASE : acts.readInt();
    if (count == BATCH) {
      play();
    }
  }

  private void play() {
    long begun = System.nanoTime();
    for (int i = 0; i < count; i++) {
      if (sizes[i] > 0) {
        allocate(slots[i], sizes[i]);
      } else if (sizes[i] == RELEASE) {
        release(slots[i]);
      } else {
        resize(slots[i], -sizes[i]);
      }
    }
    nanos += System.nanoTime() - begun;
    acted += count;
    count = 0;
  }

  private void allocate(int slot, int bytes) {
    if (slot >= buffers.length) {
      buffers = Arrays.copyOf(buffers, Math.max(slot + 1, buffers.length * 2));
    }
    allocations++;
    try {
      ByteBuf buffer = allocator.directBuffer(bytes);
      write(buffer, 0, bytes);
      buffers[slot] = buffer;
      liveBytes += bytes;
    } catch (OutOfMemoryError noMemory) {
      refused++;
    }
  }

  private void resize(int slot, int bytes) {
    ByteBuf buffer = buffers[slot];
    if (buffer == null) {
      return;
    }
    int before = buffer.capacity();
    try {
      buffer.writerIndex(Math.min(before, bytes)).capacity(bytes);
      write(buffer, before, bytes);
      liveBytes += bytes - before;
    } catch (OutOfMemoryError noMemory) {
      refused++;
    }
  }

  private void release(int slot) {
    ByteBuf buffer = buffers[slot];
    if (buffer != null) {
      buffers[slot] = null;
      liveBytes -= buffer.capacity();
      buffer.release();
    }
  }

  private void write(ByteBuf buffer, int from, int end) {
    if (content.length > 0) {
      for (int at = from; at < end; at += CONTENT_BYTES) {
        buffer.setBytes(at, content, 0, Math.min(end - at, CONTENT_BYTES));
      }
      return;
    }
    int intoPage = buffer.hasMemoryAddress() ? (int) (buffer.memoryAddress() % PAGE_BYTES) : 0;
    for (int at = from; at < end; at += PAGE_BYTES - (at + intoPage) % PAGE_BYTES) {
      buffer.setByte(at, 'w');
    }
  }

  private Map<String, Object> figures() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("acts", acted);
    map.put("allocations", allocations);
    map.put("refused", refused);
    map.put("liveBytes", liveBytes);
    map.put("heldBytes", PeerAllocators.heldBytes(allocator));
    map.put("seconds", nanos / NANOS_PER_SECOND);
    return map;
  }
}
