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
 * Allocates and releases direct buffers as the parent says, and writes every byte of each.
 *
 * <pre>
 *   numbers of four bytes, the highest byte first
 *
 *   slot, bytes        a buffer of at least one byte begins, in a slot that is free
 *   -1 - slot          the buffer in the slot ends; nothing if it was refused
 *   {@link #MARK}      the player says how it is
 *   the input's end    so does the player
 * </pre>
 */
final class ActPlayer {
  static final int MARK = Integer.MIN_VALUE;

  private static final int INPUT_BYTES = 256 << 10;
  private static final int CONTENT_BYTES = 4 << 20;
  private static final double NANOS_PER_SECOND = 1e9;

  private final ByteBufAllocator allocator;
  private final byte[] content = new byte[CONTENT_BYTES];
  private @Nullable ByteBuf[] buffers = new ByteBuf[1024];
  private long liveBytes;
  private long allocations;
  private long refused;
  private long nanos;

  ActPlayer(ByteBufAllocator allocator) {
    this.allocator = allocator;
    Arrays.fill(content, (byte) 'w');
  }

  /** Plays until the parent closes the line. */
  void run() throws IOException {
    DataInputStream acts = new DataInputStream(new BufferedInputStream(System.in, INPUT_BYTES));
    try {
      while (true) {
        play(acts.readInt(), acts);
      }
    } catch (EOFException ended) {
      // The parent has nothing more to say, or is gone.
    }
  }

  private void play(int act, DataInputStream acts) throws IOException {
    if (act == MARK) {
      JsonLine.say(figures());
    } else if (act < 0) {
      release(-1 - act);
    } else {
      allocate(act, acts.readInt());
    }
  }

  private void allocate(int slot, int bytes) {
    if (slot >= buffers.length) {
      buffers = Arrays.copyOf(buffers, Math.max(slot + 1, buffers.length * 2));
    }
    allocations++;
    long begun = System.nanoTime();
    try {
      ByteBuf buffer = allocator.directBuffer(bytes, bytes);
      for (int left = bytes; left > 0; left -= CONTENT_BYTES) {
        buffer.writeBytes(content, 0, Math.min(left, CONTENT_BYTES));
      }
      buffers[slot] = buffer;
      liveBytes += bytes;
    } catch (OutOfMemoryError noMemory) {
      refused++;
    }
    nanos += System.nanoTime() - begun;
  }

  private void release(int slot) {
    ByteBuf buffer = buffers[slot];
    if (buffer != null) {
      buffers[slot] = null;
      liveBytes -= buffer.capacity();
      long begun = System.nanoTime();
      buffer.release();
      nanos += System.nanoTime() - begun;
    }
  }

  private Map<String, Object> figures() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("allocations", allocations);
    map.put("refused", refused);
    map.put("liveBytes", liveBytes);
    map.put("heldBytes", PeerAllocators.heldBytes(allocator));
    map.put("seconds", nanos / NANOS_PER_SECOND);
    return map;
  }
}
