package dev.weir.lab.trace.synthetic;

import dev.weir.lab.trace.SlotNumbers;
import dev.weir.lab.trace.TracePhase;
import dev.weir.lab.trace.TraceSink;
import java.io.IOException;
import java.util.Arrays;

/** The live blocks of a trace in the making: numbers them, knows their sizes, tells the sink. */
final class Blocks {
  private final SlotNumbers slots = new SlotNumbers();
  private int[] sizes = new int[64];
  private TraceSink sink;

  Blocks(TraceSink sink) {
    this.sink = sink;
  }

  /** Sends what happens from now on to another sink. */
  void sendTo(TraceSink other) {
    sink = other;
  }

  /** Allocates a block and returns its slot. */
  int allocate(int bytes) throws IOException {
    int slot = slots.take();
    if (slot >= sizes.length) {
      sizes = Arrays.copyOf(sizes, sizes.length * 2);
    }
    sizes[slot] = bytes;
    sink.allocate(slot, bytes);
    return slot;
  }

  int bytesOf(int slot) {
    return sizes[slot];
  }

  /** Releases a live block and returns its size. */
  int release(int slot) throws IOException {
    if (!slots.tryGive(slot)) {
      throw new IllegalStateException("no block in slot " + slot);
    }
    sink.release(slot);
    return sizes[slot];
  }

  void phase(TracePhase phase) throws IOException {
    sink.phase(phase);
  }

  void pause(long micros) throws IOException {
    sink.pause(micros);
  }
}
