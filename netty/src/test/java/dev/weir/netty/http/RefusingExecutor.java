package dev.weir.netty.http;

import io.netty.channel.DefaultEventLoop;

/** An event loop that takes no task while it is told so, as if for want of Java heap. */
final class RefusingExecutor extends DefaultEventLoop {
  private volatile int refusals;

  /** Refuses so many tasks from now on. */
  void refuse(int tasks) {
    refusals = tasks;
  }

  /** How many it has still to refuse. */
  int toRefuse() {
    return refusals;
  }

  @Override
  public void execute(Runnable task) {
    synchronized (this) {
      if (refusals > 0) {
        refusals--;
        throw new InternalError("made by the test");
      }
    }
    super.execute(task);
  }
}
