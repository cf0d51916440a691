package dev.weir.lab.replay;

import dev.weir.lab.trace.TraceSource;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Replays a trace on one thread in short tasks, so that the thread can see to what others ask of it
 * in between, as an event loop does. A pause of the trace is a time in which it has nothing to do.
 */
final class ReplayLoop {
  private static final int STEPS_PER_TASK = 256;

  /** A pause from which on what is held at its end counts as idle: twice Weir's decay time. */
  private static final long IDLE_MICROS = 2_000_000;

  private static final long TICK_MICROS = 50_000;

  private final TraceSource source;
  private final Replayer replayer;
  private final ScheduledExecutorService thread;
  private final CompletableFuture<ReplayResult> result = new CompletableFuture<>();

  /** Whether pauses are made, one at the end if there is none else that counts. */
  private final boolean pauses;

  private boolean hasIdled;
  private boolean ended;

  private ReplayLoop(
      TraceSource source, Replayer replayer, ScheduledExecutorService thread, boolean pauses) {
    this.source = source;
    this.replayer = replayer;
    this.thread = thread;
    this.pauses = pauses;
  }

  /**
   * The pauses that a replay makes: those of the trace, or one at its end if none of them counts.
   */
  static long pauseMicros(long tracePauseMicros) {
    return Math.max(tracePauseMicros, IDLE_MICROS);
  }

  /**
   * Replays the whole trace; the result comes on {@code thread}.
   *
   * @param pauses whether to make the trace's pauses, or one at the end if none of them counts
   */
  static CompletableFuture<ReplayResult> run(
      TraceSource source, Replayer replayer, ScheduledExecutorService thread, boolean pauses) {
    ReplayLoop loop = new ReplayLoop(source, replayer, thread, pauses);
    thread.execute(() ->
        loop.guarded(() -> {
          replayer.begin();
          loop.play();
        }));
    return loop.result;
  }

  private void play() throws IOException {
    for (int i = 0; i < STEPS_PER_TASK; i++) {
      if (!source.step(replayer)) {
        ended = true;
        finish();
        return;
      }
      long pauseMicros = replayer.takePause();
      if (pauseMicros > 0 && pauses) {
        pause(pauseMicros, pauseMicros);
        return;
      }
    }
    thread.execute(() -> guarded(this::play));
  }

  private void finish() throws IOException {
    if (hasIdled || !pauses) {
      result.complete(replayer.end());
    } else {
      replayer.pause(IDLE_MICROS);
      pause(replayer.takePause(), IDLE_MICROS);
    }
  }

  private void pause(long leftMicros, long wholeMicros) {
    long tick = Math.min(leftMicros, TICK_MICROS);
    thread.schedule(
        () ->
            guarded(() -> {
              replayer.paused(tick);
              if (tick < leftMicros) {
                pause(leftMicros - tick, wholeMicros);
              } else {
                pauseEnded(wholeMicros);
              }
            }),
        tick,
        TimeUnit.MICROSECONDS);
  }

  private void pauseEnded(long wholeMicros) throws IOException {
    if (wholeMicros >= IDLE_MICROS) {
      hasIdled |= replayer.idled();
    }
    if (ended) {
      result.complete(replayer.end());
    } else {
      thread.execute(() -> guarded(this::play));
    }
  }

  private void guarded(Step step) {
    try {
      step.run();
    } catch (Throwable failure) {
      result.completeExceptionally(failure);
    }
  }

  @FunctionalInterface
  private interface Step {
    void run() throws IOException;
  }
}
