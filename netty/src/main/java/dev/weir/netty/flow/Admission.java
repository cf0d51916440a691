package dev.weir.netty.flow;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

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
   * room now; otherwise it fails with an {@link AdmissionRefusedException}, or completes with null
   * where there is no Java heap for one. It may complete on any thread: dependents must be short
   * and must not block, so they hop to an executor of their own.
   *
   * <p>To give up, call {@code stage.toCompletableFuture().complete(null)}, which needs no Java
   * heap, or {@code cancel(false)}, which does: {@code true} means that the request has left the
   * queue and holds nothing; {@code false} means that a permit or a refusal came first, and that a
   * permit is the caller's to close.
   *
   * @param bytes how many bytes the task will hold at most, more than 0
   * @param deadline how long the request may wait for room
   * @throws IllegalArgumentException if {@code bytes} is not positive
   */
  CompletionStage<Permit> admit(long bytes, Duration deadline);

  /**
   * The most that one task can hold, when no other holds anything; {@link Long#MAX_VALUE} where
   * that is not known. A task that takes its bytes in steps asks for no step beyond it.
   */
  default long limitBytes() {
    return Long.MAX_VALUE;
  }
}
