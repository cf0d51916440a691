package dev.weir.memory.testing;

/** Code that runs out of stack: on a thread with little of it, on the way back from its end. */
/*
 * At each overflow the JVM looks through all frames of the thread for one that may use its reserve, and then writes
 * down a thousand of them. What asks for 8 KiB of room overflows at hundreds of levels of each descent. So a stack of a
 * few hundred kilobytes is most of the time that such a test takes, and several times as much on a busy machine.
 */
public final class EndOfStack {
  /** A JVM gives 136 KiB at least, and keeps 96 of them for itself. */
  private static final long STACK_BYTES = 160 << 10;

  /** Further up there is more room than was enough; once more sees what the first call left. */
  private static final int RETURNS = 2;

  private EndOfStack() {}

  /** Runs it in a thread whose end of the stack is near, and waits; fails with what it throws. */
  public static void onThread(Workers.Work work) throws InterruptedException {
    Workers workers = new Workers();
    workers.platformWithStack(STACK_BYTES, work);
    workers.join();
  }

  /**
   * Goes to the end of the stack, and on the way back calls {@code work} at each level until it has
   * returned twice.
   */
  public static void descend(Runnable work) {
    descend(new Tried(work));
  }

  @SuppressWarnings("InfiniteRecursion") // which is what is tested
  private static void descend(Tried work) {
    try {
      descend(work);
    } catch (StackOverflowError e) {
      // This is the last level, or the work ran out of stack at the one below.
    }
    if (work.returns < RETURNS) {
      work.call();
    }
  }

  private static final class Tried {
    private final Runnable work;
    private int returns;

    Tried(Runnable work) {
      this.work = work;
    }

    void call() {
      work.run();
      returns++;
    }
  }
}
