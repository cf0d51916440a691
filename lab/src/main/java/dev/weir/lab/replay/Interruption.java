package dev.weir.lab.replay;

import java.io.IOException;
import java.util.List;

/** Says what is kept when Ctrl-C, or a signal, ends a replay. */
final class Interruption {
  private final Thread hook;

  private Interruption(List<?> rows, int planned) {
    this.hook =
        new Thread(
            () ->
                System.err.printf(
                    "weir: interrupted; %d of %d rows are kept, and marked as incomplete%n",
                    rows.size(), planned),
            "say-what-is-kept");
  }

  /** From now on, an end of this process says how many rows there are. */
  static Interruption watch(List<?> rows, int planned) {
    Interruption interruption = new Interruption(rows, planned);
    Runtime.getRuntime().addShutdownHook(interruption.hook);
    return interruption;
  }

  /** All is done. */
  void ended() {
    Runtime.getRuntime().removeShutdownHook(hook);
  }

  /**
   * Ctrl-C ends the process under test too: that is no failure of it.
   *
   * @throws IllegalStateException if this process is ending
   */
  static void requireNone(IOException failed) {
    Thread none = new Thread(() -> {});
    try {
      Runtime.getRuntime().addShutdownHook(none);
      Runtime.getRuntime().removeShutdownHook(none);
    } catch (IllegalStateException ending) {
      throw new IllegalStateException("interrupted", failed);
    }
  }
}
