package dev.weir.benchmarks.pattern;

import dev.weir.benchmarks.peer.Buffers;

/** A buffer that is released as soon as it is allocated. */
final class AllocateRelease extends PatternRun {

  AllocateRelease(Buffers<Object> buffers, SizeMix sizes, boolean touched) {
    super(buffers, sizes, touched);
  }

  @Override
  public void step() {
    release(allocate());
  }

  @Override
  public void drain() {}
}
