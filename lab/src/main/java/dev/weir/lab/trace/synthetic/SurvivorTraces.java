package dev.weir.lab.trace.synthetic;

import dev.weir.lab.trace.TracePhase.Kind;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Small blocks most of which die young, while one in fifty stays. */
final class SurvivorTraces {
  private static final long WINDOW_BYTES = 64L << 20;
  private static final int WINDOWS = 6;
  private static final int SURVIVES_PER_MILLE = 20;
  private static final long IDLE_MICROS = 2_000_000;

  private final SeededRandom random;
  private final long windowBytes;
  private final ArrayDeque<Integer> young = new ArrayDeque<>();
  private long youngBytes;

  private SurvivorTraces(SeededRandom random, double scale) {
    this.random = random;
    this.windowBytes = Math.round(WINDOW_BYTES * scale);
  }

  /**
   * Blocks of 100 B – 4 KiB: each leaves once 64 MiB more have come, but for 2 %, which stay. At
   * the end only those are left.
   */
  static List<Act> small(SeededRandom random, double scale) {
    SurvivorTraces trace = new SurvivorTraces(random, scale);
    List<Act> acts = new ArrayList<>();
    acts.add(Act.phase("fill", Kind.WARM_UP));
    acts.add(trace.pass(trace.windowBytes));
    acts.add(Act.phase("2 % stay"));
    acts.add(trace.pass(WINDOWS * trace.windowBytes));
    acts.add(Act.phase("survivors only", Kind.DROP));
    acts.add(Act.once(trace::dropYoung));
    acts.add(Act.pause(IDLE_MICROS));
    return acts;
  }

  private Act pass(long bytes) {
    long[] left = {bytes};
    return blocks -> {
      if (left[0] <= 0) {
        return false;
      }
      int size = Sizes.TINY.next(random);
      left[0] -= size;
      while (youngBytes + size > windowBytes && !young.isEmpty()) {
        end(young.remove(), blocks);
      }
      young.add(blocks.allocate(size));
      youngBytes += size;
      return true;
    };
  }

  private void dropYoung(Blocks blocks) throws IOException {
    while (!young.isEmpty()) {
      end(young.remove(), blocks);
    }
  }

  private void end(int slot, Blocks blocks) throws IOException {
    youngBytes -= blocks.bytesOf(slot);
    if (!random.perMille(SURVIVES_PER_MILLE)) {
      blocks.release(slot);
    }
  }
}
