package dev.weir.memory.callback;

import dev.weir.memory.pressure.Pressure;
import dev.weir.memory.pressure.PressureListener;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one listener: on a daemon thread that runs while there is something to tell.
 *
 * <pre>
 *   idle ── post a level that was not told ──► calling ── nothing more to tell ──► idle
 * </pre>
 *
 * <p>Thread-safe. The monitor is held for a few instructions, never during a call.
 */
public final class ListenerCalls {
  private final PressureListener listener;
  private final FirstFailure failures;
  private Pressure latest = Pressure.NONE;
  private Pressure told = Pressure.NONE;
  private boolean calling;
  private boolean closed;

  /**
   * No call yet.
   *
   * @param path the budget's, for people
   */
  public ListenerCalls(PressureListener listener, String path) {
    this.listener = listener;
    this.failures = new FirstFailure("a pressure listener of budget '%s'".formatted(path));
  }

  /**
   * Sees to it that the listener is told. Posting a level again is how a failed start is retried.
   */
  public void post(Pressure level) {
    synchronized (this) {
      latest = level;
      if (closed || calling || level == told) {
        return;
      }
      calling = true;
    }
    boolean started = false;
    try {
      Thread.ofPlatform()
          .name("weir-pressure-listener")
          .daemon()
          .inheritInheritableThreadLocals(false)
          .start(this::call);
      started = true;
    } catch (OutOfMemoryError e) {
      // No thread can be had now.
      failures.report(e);
    } finally {
      if (!started) {
        synchronized (this) {
          calling = false;
        }
      }
    }
  }

  private void call() {
    for (Pressure level = next(); level != null; level = next()) {
      try {
        listener.pressureChanged(level);
      } catch (Throwable e) {
        failures.report(e);
      }
    }
  }

  private synchronized @Nullable Pressure next() {
    if (closed || latest == told) {
      calling = false;
      return null;
    }
    told = latest;
    return told;
  }

  /** Begins no call from now on. */
  public synchronized void close() {
    closed = true;
  }
}
