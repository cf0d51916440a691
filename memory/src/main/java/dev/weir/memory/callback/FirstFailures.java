package dev.weir.memory.callback;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Logs the first failure of each kind, with its cause: of each class of exception. Thread-safe. */
public final class FirstFailures {
  /** So many classes are told apart; of all others one failure is logged. */
  static final int MAX_KINDS = 16;

  private static final String FURTHER = "further failures of this kind";

  private final String what;
  private final Map<Class<?>, FirstFailure> kinds = new ConcurrentHashMap<>();
  private final FirstFailure others;

  /**
   * Nothing has failed yet.
   *
   * @param what names the code, for people
   */
  public FirstFailures(String what) {
    this.what = what;
    this.others = new FirstFailure(what, "further failures of rare kinds");
  }

  /** It has failed. */
  public void report(Throwable failure) {
    FirstFailure kind = kinds.get(failure.getClass());
    if (kind == null && kinds.size() < MAX_KINDS) {
      kind = kinds.computeIfAbsent(failure.getClass(), _ -> new FirstFailure(what, FURTHER));
    }
    (kind == null ? others : kind).report(failure);
  }
}
