package dev.weir.lab.blindspot;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Random;

/** A part of a service that holds buffers. Used by the driver only. */
abstract class Feature {
  private final String name;
  private final ByteBufAllocator allocator;
  private final Queue<ByteBuf> held = new ArrayDeque<>();
  private long heldBytes;

  Feature(String name, ByteBufAllocator allocator) {
    this.name = name;
    this.allocator = allocator;
  }

  /** A twentieth of a second of work. */
  abstract void step(int number, Random random);

  final String name() {
    return name;
  }

  final ByteBufAllocator allocator() {
    return allocator;
  }

  /** The sizes of what it holds, counted by itself: what is true. */
  final long heldBytes() {
    return heldBytes;
  }

  /** Holds a buffer, with a byte in each page so that the kernel counts it. */
  final void hold(ByteBuf buffer) {
    for (int at = 0; at < buffer.capacity(); at += 4096) {
      buffer.setByte(at, 1);
    }
    held.add(buffer);
    heldBytes += buffer.capacity();
  }

  final int heldBuffers() {
    return held.size();
  }

  final void releaseOldest() {
    ByteBuf oldest = held.remove();
    heldBytes -= oldest.capacity();
    oldest.release();
  }
}
