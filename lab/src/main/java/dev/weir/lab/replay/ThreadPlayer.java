package dev.weir.lab.replay;

import dev.weir.lab.contender.Writing;
import dev.weir.lab.memory.ThreadFaults;
import dev.weir.netty.refusal.MemoryRefusals;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Plays the events of one recorded thread, on a thread of its own. */
final class ThreadPlayer {
  /** Another loop is a few events away as a rule, if it has a processor. */
  private static final int SPINS = 200;

  private static final long PARK_NANOS = 1_000;

  private final LoadedTrace trace;
  private final ByteBufAllocator allocator;
  private final Writing writing;
  private final Shared shared;
  private long busyNanos;
  private long waitNanos;
  private long faultsBefore;
  private long faults;

  /**
   * What the players of a trace share. The player that raises the turn of a block publishes its
   * buffer to the player that waits for that.
   */
  static final class Shared {
    /** How many events of each block are done. */
    final AtomicIntegerArray turns;

    /** Of each block; null while it does not live, or was refused. */
    final @Nullable ByteBuf[] buffers;

    /** What each event gave its block; 0 if it was refused, and of releases. */
    final long[] addresses;

    Shared(LoadedTrace trace) {
      turns = new AtomicIntegerArray(trace.blocks());
      buffers = new ByteBuf[trace.blocks()];
      addresses = new long[trace.events()];
    }
  }

  ThreadPlayer(LoadedTrace trace, ByteBufAllocator allocator, Writing writing, Shared shared) {
    this.trace = trace;
    this.allocator = allocator;
    this.writing = writing;
    this.shared = shared;
  }

  /** Begins to count faults, on its thread. */
  void begin() {
    faultsBefore = faultsNow();
  }

  /** Ends counting them, on its thread. */
  void end() {
    faults = faultsNow() - faultsBefore;
  }

  private static long faultsNow() {
    try {
      return ThreadFaults.minor();
    } catch (IOException untold) {
      return 0;
    }
  }

  /** Plays the first {@code count} of the events, on its thread, and counts down. */
  void play(int[] events, int count, CountDownLatch ended) {
    try {
      long begun = System.nanoTime();
      long waited = waitNanos;
      for (int i = 0; i < count; i++) {
        play(events[i]);
      }
      busyNanos += System.nanoTime() - begun - (waitNanos - waited);
    } finally {
      ended.countDown();
    }
  }

  private void play(int event) {
    int block = trace.block(event);
    int turn = trace.turn(event);
    if (shared.turns.getAcquire(block) != turn) {
      await(block, turn);
    }
    switch (trace.kind(event)) {
      case LoadedTrace.ALLOCATE -> allocate(event, block);
      case LoadedTrace.GROW -> grow(event, block);
      default -> release(block);
    }
    shared.turns.setRelease(block, turn + 1);
  }

  private void await(int block, int turn) {
    long begun = System.nanoTime();
    for (int spins = 0; shared.turns.getAcquire(block) != turn; spins++) {
      if (spins < SPINS) {
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(PARK_NANOS);
      }
    }
    waitNanos += System.nanoTime() - begun;
  }

  private void allocate(int event, int block) {
    int bytes = trace.bytes(event);
    try {
      ByteBuf buffer = allocator.directBuffer(bytes);
      long address = address(buffer, bytes);
      writing.write(address, bytes);
      shared.buffers[block] = buffer;
      shared.addresses[event] = address;
    } catch (OutOfMemoryError refused) {
      MemoryRefusals.require(refused);
    }
  }

  private void grow(int event, int block) {
    ByteBuf buffer = shared.buffers[block];
    if (buffer == null) {
      return;
    }
    int before = buffer.capacity();
    int bytes = trace.bytes(event);
    try {
      buffer.writerIndex(Math.min(before, bytes)).capacity(bytes);
      long address = address(buffer, bytes);
      if (bytes > before) {
        writing.write(address + before, bytes - before);
      }
      shared.addresses[event] = address;
    } catch (OutOfMemoryError refused) {
      MemoryRefusals.require(refused);
    }
  }

  private void release(int block) {
    ByteBuf buffer = shared.buffers[block];
    if (buffer != null) {
      shared.buffers[block] = null;
      buffer.release();
    }
  }

  private static long address(ByteBuf buffer, int bytes) {
    return buffer.hasMemoryAddress()
        ? buffer.memoryAddress()
        : MemorySegment.ofBuffer(buffer.internalNioBuffer(0, bytes)).address();
  }

  /** In which it did what its events say. */
  long busyNanos() {
    return busyNanos;
  }

  /** In which it waited for the events of other threads. */
  long waitNanos() {
    return waitNanos;
  }

  long faults() {
    return faults;
  }
}
