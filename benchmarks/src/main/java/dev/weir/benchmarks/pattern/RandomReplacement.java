package dev.weir.benchmarks.pattern;

import dev.weir.benchmarks.peer.Buffers;

/** Any of the live buffers goes, a new one comes. */
final class RandomReplacement extends PatternRun {
  private final Object[] live;
  private final Xorshift victims;

  RandomReplacement(Buffers<Object> buffers, SizeMix sizes, boolean touched, int count, long seed) {
    super(buffers, sizes, touched);
    victims = new Xorshift(~seed);
    live = new Object[count];
    for (int i = 0; i < count; i++) {
      live[i] = allocate();
    }
  }

  @Override
  public void step() {
    int index = victims.below(live.length);
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
