package dev.weir.benchmarks.harness;

import dev.weir.benchmarks.peer.JitState;
import dev.weir.benchmarks.peer.Peer;
import java.time.Duration;
import java.util.List;

/** Runs a cell once for each peer, as briefly as JMH can. */
public final class Tiny {
  private Tiny() {}

  /** Each peer gets one JVM, which has seen nothing before. */
  public static Measurement measure(Cell cell, List<Peer> peers) throws Exception {
    return measure(cell, peers, JitState.ALONE);
  }

  /** Each peer gets one JVM in that state. */
  public static Measurement measure(Cell cell, List<Peer> peers, JitState jit) throws Exception {
    System.setProperty("jmh.ignoreLock", "true");
    Effort least = new Effort(1, 0, 1, Duration.ofMillis(10));
    int[] jvms = {0};
    Measurement measurement =
        new CellRunner(least, jit, List.of(), () -> jvms[0]++).measure(cell, peers);
    if (jvms[0] != measurement.scores().size()) {
      throw new AssertionError(jvms[0] + " JVMs for " + measurement.scores().keySet());
    }
    return measurement;
  }
}
