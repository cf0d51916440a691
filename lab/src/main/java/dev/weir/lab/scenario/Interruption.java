package dev.weir.lab.scenario;

import dev.weir.lab.report.ProgressLine;
import java.util.function.IntSupplier;

/** Says what is kept when Ctrl-C, or a signal, ends a run. */
public final class Interruption {
  private final Thread hook;

  private Interruption(Thread hook) {
    this.hook = hook;
  }

  /**
   * From now on, an end of this process says how many rows there are.
   *
   * @param kept is asked by another thread
   */
  public static Interruption watch(ProgressLine progress, IntSupplier kept, int planned) {
    Thread hook =
        new Thread(
            () -> {
              progress.clear();
              System.err.printf(
                  "weir: interrupted; %d of %d rows are kept, and marked as incomplete%n",
                  kept.getAsInt(), planned);
            },
            "say-what-is-kept");
    Runtime.getRuntime().addShutdownHook(hook);
    return new Interruption(hook);
  }

  /** All is done. */
  public void ended() {
    Runtime.getRuntime().removeShutdownHook(hook);
  }

  /**
   * Ctrl-C ends the process under test too: that is no failure of it.
   *
   * @throws IllegalStateException if this process is ending
   */
  public static void requireNone(Exception failed) {
    Thread none = new Thread(() -> {});
    try {
      Runtime.getRuntime().addShutdownHook(none);
      Runtime.getRuntime().removeShutdownHook(none);
    } catch (IllegalStateException ending) {
      throw new IllegalStateException("interrupted", failed);
    }
  }
}
