package dev.weir.netty.flow;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a task may take bytes. A task asks before it starts; whoever holds a {@link Permit}
 * may always complete, so tasks that take all of their bytes at once never wait for each other.
 *
 * <p>Requests are served in the order of their arrival: one that fits does not overtake one that
 * waits. An implementation may keep a second, equally ordered lane for small requests.
 */
public interface Admission {

  /**
   * Asks for {@code bytes}, from any thread.
   *
   * <p>The stage completes with a permit as soon as there is room, already completed if there is
   * room now; otherwise it fails with an {@link AdmissionRefusedException}. It may complete on any
   * thread: dependents must be short and must not block, so they hop to an executor of their own.
   *
   * <p>To give up, call {@link #giveUp}. Where {@code stage.toCompletableFuture()} is completed
   * with null, or cancelled, and is the first to be so, the request has left the queue and holds
   * nothing; otherwise a permit or a refusal came first, and a permit is the caller's to close.
   *
   * @param bytes how many bytes the task will hold at most, more than 0
   * @param deadline how long the request may wait for room
   * @throws IllegalArgumentException if {@code bytes} is not positive
   */
  CompletionStage<Permit> admit(long bytes, Duration deadline);

  /**
   * Gives up what {@link #admit} has returned: it leaves the queue, or its permit is closed, which
   * nobody has taken. From any thread.
   */
  static void giveUp(CompletableFuture<Permit> asked) {
    if (!asked.complete(null) && asked.state() == Future.State.SUCCESS) {
      @Nullable Permit permit = asked.resultNow();
      if (permit != null) {
        permit.close();
      }
    }
  }

  /**
   * The most that one task can hold, when no other holds anything; {@link Long#MAX_VALUE} where
   * that is not known. A task that takes its bytes in steps asks for no step beyond it.
   */
  default long limitBytes() {
    return Long.MAX_VALUE;
  }
}
