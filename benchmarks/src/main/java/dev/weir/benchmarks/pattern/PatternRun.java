package dev.weir.benchmarks.pattern;

import dev.weir.benchmarks.peer.Buffers;

/** A pattern as one thread runs it, with the buffers that it keeps live. */
public abstract class PatternRun {
  private final Buffers<Object> buffers;
  private final SizeMix sizes;
  private final boolean touched;

  PatternRun(Buffers<Object> buffers, SizeMix sizes, boolean touched) {
    this.buffers = buffers;
    this.sizes = sizes;
    this.touched = touched;
  }

  /** One operation: a buffer goes, a buffer comes. */
  public abstract void step();

  /** Releases what is live. The run is over then. */
  public abstract void drain();

  /** A buffer of the next size; with touching, written to in each of its pages. */
  final Object allocate() {
    int bytes = sizes.next();
    Object buffer = buffers.allocate(bytes);
    if (touched) {
      buffers.touch(buffer, bytes);
    }
    return buffer;
  }

  final void release(Object buffer) {
    buffers.release(buffer);
  }
}
