package dev.weir.benchmarks.written;

import dev.weir.benchmarks.pattern.SizeMix;
import dev.weir.benchmarks.pattern.Xorshift;
import dev.weir.benchmarks.peer.Buffers;

/** Places for buffers, each of which is written when it is allocated. One thread's. */
final class WrittenBuffers {
  private static final long SEED = 43;
  private static final int KEPT_SHARE = 10;

  private final Buffers<Object> peer;
  private final SizeMix sizes;
  private final Xorshift places = new Xorshift(~SEED);
  private final Object[] live;
  private int sum;

  /** Empty places for {@code count} buffers of {@code sizes}. */
  @SuppressWarnings("unchecked") // A peer gets back only what it gave.
  WrittenBuffers(Buffers<?> peer, String sizes, int count) {
    this.peer = (Buffers<Object>) peer;
    this.sizes = SizeMix.of(sizes, SEED);
    this.live = new Object[count];
  }

  /** Fills every place. */
  void fill() {
    for (int place = 0; place < live.length; place++) {
      allocate(place);
    }
  }

  /** Fills every place, and tells how long each took. */
  void fillTimed(Latencies latencies) {
    long before = System.nanoTime();
    for (int place = 0; place < live.length; place++) {
      allocate(place);
      long now = System.nanoTime();
      latencies.add(now - before);
      before = now;
    }
  }

  /** Empties every place. */
  void drain() {
    for (Object buffer : live) {
      peer.release(buffer);
    }
  }

  /** Replaces the buffers of so many random places. */
  void replace(int times) {
    for (int i = 0; i < times; i++) {
      replaceOne();
    }
  }

  /** The same, and tells how long each took. */
  void replaceTimed(int times, Latencies latencies) {
    long before = System.nanoTime();
    for (int i = 0; i < times; i++) {
      replaceOne();
      long now = System.nanoTime();
      latencies.add(now - before);
      before = now;
    }
  }

  /** Releases all buffers but a random tenth. */
  void keepATenth() {
    for (int count = live.length; count > live.length / KEPT_SHARE; count--) {
      int place = places.below(count);
      peer.release(live[place]);
      live[place] = live[count - 1];
    }
  }

  /**
   * What was read of the buffers: whoever looks at it, the compiler cannot leave the reading out.
   */
  int sum() {
    return sum;
  }

  private void replaceOne() {
    int place = places.below(live.length);
    peer.release(live[place]);
    allocate(place);
  }

  private void allocate(int place) {
    int bytes = sizes.next();
    Object buffer = peer.allocate(bytes);
    sum += peer.write(buffer, bytes, (byte) place);
    live[place] = buffer;
  }
}
