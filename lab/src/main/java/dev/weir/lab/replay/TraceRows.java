package dev.weir.lab.replay;

import dev.weir.lab.contender.Contender;
import dev.weir.lab.contender.Writing;
import dev.weir.lab.report.ProgressLine;
import dev.weir.lab.subject.WeirSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Rows of a trace from a file, for those who read them rather than print them. */
public final class TraceRows {
  /** Settings of Weir that one of the rows has. */
  public static final String SHORTER_DECAY = "decay=100ms";

  private TraceRows() {}

  /**
   * Replays it on Weir, with both presets and with a shorter decay, and on Netty's two allocators,
   * with as much memory as they like. All of them run at once, since what a recorded trace takes is
   * mostly its pauses: what they count themselves is worth a look, and nothing else.
   *
   * @throws IOException if the trace cannot be read, or the process under test fails
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
    return new Replay(plan, Optional.empty(), ProgressLine.onTerminal())
            .runAtOnce(
                List.of(new ReplaySubject.WhatIf(WeirSettings.parse(SHORTER_DECAY))),
                List.of(
                    Contender.WEIR,
                    Contender.WEIR_DENSE,
                    Contender.NETTY_POOLED,
                    Contender.NETTY_ADAPTIVE))
            .stream()
            .map(ReplayOutcome::row)
            .toList();
  }
}
