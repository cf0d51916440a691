package dev.weir.lab.trace.synthetic;

import dev.weir.lab.trace.TracePhase.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** Blocks of every size that live for a moment, for a while, or for long. */
final class MixedTraces {
  private static final int WARM_UP_BLOCKS = 100_000;
  private static final int BLOCKS = 400_000;
  private static final int MIN_BYTES = 64;
  private static final int DOUBLINGS = 13;

  /** What one block in a thousand lives for: until so many more have come. */
  private static final int LONG_LIFE = 200_000;

  private static final int LONG_PER_MILLE = 2;
  private static final int MIDDLE_LIFE = 10_000;
  private static final int MIDDLE_PER_MILLE = 98;
  private static final int SHORT_LIFE = 200;

  private final SeededRandom random;
  private final PriorityQueue<Mortal> live =
      new PriorityQueue<>(Comparator.comparingLong(Mortal::end).thenComparingInt(Mortal::slot));
  private long now;

  private MixedTraces(SeededRandom random) {
    this.random = random;
  }

  /** A live block and when it ends, counted in allocations. */
  private record Mortal(long end, int slot) {}

  /**
   * Sizes from 64 B to 512 KiB, each doubling as often as any other; 90 % live for up to 200
   * allocations, nearly 10 % for up to 10,000, 2 in 1,000 for up to 200,000.
   */
  static List<Act> lifetimes(SeededRandom random, double scale) {
    MixedTraces trace = new MixedTraces(random);
    List<Act> acts = new ArrayList<>();
    acts.add(Act.phase("warm-up", Kind.WARM_UP));
    acts.add(Act.repeat(Math.round(WARM_UP_BLOCKS * scale), trace::next));
    acts.add(Act.phase("steady"));
    acts.add(Act.repeat(Math.round(BLOCKS * scale), trace::next));
    return acts;
  }

  private void next(Blocks blocks) throws IOException {
    now++;
    for (Mortal first = live.peek(); first != null && first.end <= now; first = live.peek()) {
      blocks.release(first.slot);
      live.remove();
    }
    live.add(new Mortal(now + lifetime(), blocks.allocate(size())));
  }

  private int size() {
    int doubling = (int) random.below(DOUBLINGS);
    int smallest = MIN_BYTES << doubling;
    return random.between(smallest, 2 * smallest - 1);
  }

  private long lifetime() {
    long lot = random.below(1_000);
    int longest =
        lot < LONG_PER_MILLE
            ? LONG_LIFE
            : lot < LONG_PER_MILLE + MIDDLE_PER_MILLE ? MIDDLE_LIFE : SHORT_LIFE;
    return random.between(1, longest);
  }
}
