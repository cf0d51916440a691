package dev.weir.lab.trace.synthetic;

import dev.weir.lab.trace.TracePhase.Kind;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Steady traffic: as many buffers come as go. */
final class ChurnTraces {
  private static final int BUFFER_BYTES = 1 << 20;
  private static final int LIVE_BUFFERS = 16;
  private static final int WARM_UP_BUFFERS = 1_000;
  private static final int STEADY_BUFFERS = 10_000;

  private final ArrayDeque<Integer> live = new ArrayDeque<>();

  private ChurnTraces() {}

  /** Buffers of 1 MiB, 16 at a time, the oldest replaced first. */
  static List<Act> ofOneMebibyte(double scale) {
    ChurnTraces trace = new ChurnTraces();
    List<Act> acts = new ArrayList<>();
    acts.add(Act.phase("warm-up", Kind.WARM_UP));
    acts.add(Act.repeat(Math.round(WARM_UP_BUFFERS * scale), trace::replaceOldest));
    acts.add(Act.phase("steady"));
    acts.add(Act.repeat(Math.round(STEADY_BUFFERS * scale), trace::replaceOldest));
    return acts;
  }

  private void replaceOldest(Blocks blocks) throws IOException {
    if (live.size() == LIVE_BUFFERS) {
      blocks.release(live.remove());
    }
    live.add(blocks.allocate(BUFFER_BYTES));
  }
}
