package dev.weir.lab.replay;

import dev.weir.lab.contender.Contender;
import dev.weir.lab.contender.Writing;
import dev.weir.lab.report.ProgressLine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Rows of a trace from a file, for those who read them rather than print them. */
public final class TraceRows {
  private static final List<Contender> CONTENDERS =
      List.of(
          Contender.WEIR, Contender.WEIR_DENSE, Contender.NETTY_POOLED, Contender.NETTY_ADAPTIVE);

  private TraceRows() {}

  /**
   * Replays it on Weir, with both presets, and on Netty's two allocators, with as much memory as
   * they like.
   *
   * @throws IOException if the trace cannot be read, or a process under test fails
   */
  public static List<Map<String, @Nullable Object>> of(Path trace) throws IOException {
    ReplayPlan plan =
        new ReplayPlan(
            trace.toString(),
            0,
            1,
            ReplayPlan.NO_BUDGET,
            ReplayThread.EVENT_LOOP,
            Writing.PAGES,
            /* onRecordedThreads= */ false,
            ReplayTime.COMPRESSED,
            /* rounds= */ 1);
    Replay replay = new Replay(plan, Optional.empty(), ProgressLine.onTerminal());
    List<Map<String, @Nullable Object>> rows = new ArrayList<>();
    for (Contender contender : CONTENDERS) {
      rows.add(replay.run(new ReplaySubject.Own(contender)).row());
    }
    return rows;
  }
}
