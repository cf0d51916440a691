package dev.weir.benchmarks.pattern;

import dev.weir.benchmarks.peer.Buffers;

/** First in, first out: the oldest buffer goes, a new one comes. */
final class Ring extends PatternRun {
  private final Object[] live;
  private int oldest;

  Ring(Buffers<Object> buffers, SizeMix sizes, boolean touched, int count) {
    super(buffers, sizes, touched);
    live = new Object[count];
    for (int i = 0; i < count; i++) {
      live[i] = allocate();
    }
  }

  @Override
  public void step() {
    int index = oldest;
    oldest = index + 1 == live.length ? 0 : index + 1;
    release(live[index]);
    live[index] = allocate();
  }

  @Override
  public void drain() {
    for (Object buffer : live) {
      release(buffer);
    }
  }
}
