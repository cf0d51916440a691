package dev.weir.benchmarks.pattern;

import dev.weir.benchmarks.peer.Buffers;
import org.openjdk.jmh.annotations.CompilerControl;

/**
 * A buffer that is released as soon as it is allocated. In between it goes through a method that
 * the compiler does not look into, as between a read and a write it goes through a pipeline: what
 * it knows of the allocation does not help it with the release.
 */
final class AllocateRelease extends PatternRun {

  AllocateRelease(Buffers<Object> buffers, SizeMix sizes, boolean touched) {
    super(buffers, sizes, touched);
  }

  @Override
  public void step() {
    release(through(allocate()));
  }

  @CompilerControl(CompilerControl.Mode.DONT_INLINE)
  private static Object through(Object buffer) {
    return buffer;
  }

  @Override
  public void drain() {}
}
