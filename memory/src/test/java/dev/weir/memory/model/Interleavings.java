package dev.weir.memory.model;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Goes through every order in which the steps of a few threads can run. */
final class Interleavings {
  /** From a step that cannot run now: the state is as it was. */
  static final int BLOCKED = -1;

  /** A model with more states is too large to be a model. */
  private static final int MAX_STATES = 2_000_000;

  private final List<List<Step>> programs = new ArrayList<>();
  private Function<Machine, @Nullable String> invariant = machine -> null;

  /** What a thread does at once: one access to shared memory at most. */
  @FunctionalInterface
  interface Step {
    /** Runs and says which step comes next: the program's length ends it. */
    int run(Machine machine);
  }

  /** A thread; they are known by the order in which they are added. */
  Interleavings thread(List<Step> steps) {
    programs.add(steps);
    return this;
  }

  /** What must hold in every state: null, or what is wrong. */
  Interleavings always(Function<Machine, @Nullable String> condition) {
    invariant = condition;
    return this;
  }

  /**
   * Looks at every state that can be reached.
   *
   * @param atEnd sees each state in which all threads have ended
   * @return what is wrong in one of them; null if nothing is
   */
  @Nullable String findFault(Machine start, Function<Machine, @Nullable String> atEnd) {
    Set<String> known = new HashSet<>();
    ArrayDeque<Machine> open = new ArrayDeque<>();
    open.push(start);
    known.add(start.key());
    while (!open.isEmpty()) {
      Machine state = open.pop();
      List<Machine> next = successors(state);
      String fault = invariant.apply(state);
      if (fault == null && next.isEmpty()) {
        fault = hasEnded(state) ? atEnd.apply(state) : "all threads wait";
      }
      if (fault != null) {
        return fault + ": " + state.key();
      }
      for (Machine each : next) {
        if (known.add(each.key())) {
          open.push(each);
        }
      }
      if (known.size() > MAX_STATES) {
        throw new IllegalStateException("more than " + MAX_STATES + " states");
      }
    }
    return null;
  }

  private boolean hasEnded(Machine state) {
    for (int thread = 0; thread < programs.size(); thread++) {
      if (state.positions[thread] < programs.get(thread).size()) {
        return false;
      }
    }
    return true;
  }

  private List<Machine> successors(Machine state) {
    List<Machine> next = new ArrayList<>();
    for (int thread = 0; thread < programs.size(); thread++) {
      List<Step> program = programs.get(thread);
      int position = state.positions[thread];
      if (position < program.size()) {
        Machine after = state.copy();
        int to = program.get(position).run(after);
        if (to != BLOCKED) {
          after.positions[thread] = to;
          next.add(after);
        }
      }
      if (state.hasStores(thread)) {
        Machine after = state.copy();
        after.drainOne(thread);
        next.add(after);
      }
    }
    return next;
  }
}
