package dev.weir.netty.flow;

import java.util.concurrent.CompletionStage;

/** Tells when memory is short, and when it no longer is. Called from any thread. */
public interface Headroom {

  /** Whether memory is short now. Cheap: asked after every read of every channel. */
  boolean isShort();

  /**
   * Whether memory is about to become short: the time to let nothing new in, and to stop who holds
   * most. As cheap. By default when it is short.
   */
  default boolean isTight() {
    return isShort();
  }

  /**
   * Completes with {@code true} once there is room to go on reading, at once if there is room now;
   * with {@code false} if none appeared within a time of the implementation's choosing; and
   * exceptionally if it can no longer tell, which counts as room. It may complete on any thread.
   */
  CompletionStage<Boolean> relief();
}
