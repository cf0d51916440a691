package dev.weir.netty.write;

/** Makes messages as fast as the peer of a channel takes them. Called on its event loop. */
@FunctionalInterface
public interface Producer {

  /**
   * The channel can take messages: writes some while {@link Outlet#isReady()}, and returns. Called
   * again once the channel is ready again; a producer that returns while it still is has nothing at
   * present, and calls {@link Outlet#resume()} when it has.
   *
   * @throws Exception which ends the pull as {@link Outlet#fail} does
   */
  void produce(Outlet outlet) throws Exception;

  /**
   * No more will be asked for: the pull failed, was cancelled, or its channel has closed. Not
   * called after {@link Outlet#complete()}.
   */
  default void stopped(Throwable cause) {}
}
