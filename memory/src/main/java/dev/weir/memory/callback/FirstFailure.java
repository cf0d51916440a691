package dev.weir.memory.callback;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;

/** Logs the first failure of somebody else's code, with its cause, and no other. */
public final class FirstFailure {
  private static final Logger LOG = System.getLogger(FirstFailure.class.getPackageName());

  private final String what;
  private final String further;
  private final AtomicBoolean logged = new AtomicBoolean();

  /**
   * Nothing has failed yet.
   *
   * @param what names the code, for people
   */
  public FirstFailure(String what) {
    this(what, "further failures");
  }

  /** With the name of those that it is the first of. */
  FirstFailure(String what, String further) {
    this.what = what;
    this.further = further;
  }

  /** It has failed. Throws nothing. */
  public void report(Throwable failure) {
    if (logged.compareAndSet(false, true)) {
      try {
        LOG.log(
            Level.ERROR,
            what + " failed; it will be called again, " + further + " are not logged",
            failure);
      } catch (RuntimeException | Error e) {
        // A full Java heap has no room for the message either: the next failure is logged.
        logged.set(false);
      }
    }
  }
}
