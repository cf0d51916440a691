package dev.weir.netty.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Every state that a world can come to, whatever happens in whatever order. A world cannot go back,
 * so a state is come to again by what has happened before it, from the beginning.
 */
final class StateSpace {
  /** What is looked at. It is made of real parts; a test brings about what happens. */
  interface World {
    /** What can happen now; nothing where all is done. */
    List<Integer> events();

    void happen(int event);

    boolean isDone();

    /** All that decides what can happen from now on. */
    String state();

    /** Fails if what must hold in every state does not. */
    void check();
  }

  /** What has happened, the last first. */
  private record Way(int event, Way before) {
    List<Integer> events() {
      ArrayDeque<Integer> events = new ArrayDeque<>();
      for (Way way = this; way.before != null; way = way.before) {
        events.addFirst(way.event);
      }
      return List.copyOf(events);
    }
  }

  private record Branch(String state, Way way, int event) {}

  private final Supplier<? extends World> beginning;
  private final Map<String, Way> ways = new HashMap<>();
  private final Map<String, List<String>> predecessors = new HashMap<>();
  private final Set<String> completed = new HashSet<>();
  private final ArrayDeque<Branch> branches = new ArrayDeque<>();

  private StateSpace(Supplier<? extends World> beginning) {
    this.beginning = beginning;
  }

  /** Goes wherever a world can go from its beginning. */
  static StateSpace of(Supplier<? extends World> beginning) {
    StateSpace space = new StateSpace(beginning);
    World world = beginning.get();
    Way nothing = new Way(0, null);
    space.ways.put(world.state(), nothing);
    space.goOn(world, world.state(), nothing);
    while (!space.branches.isEmpty()) {
      space.take(space.branches.removeFirst());
    }
    return space;
  }

  private void take(Branch branch) {
    World world = beginning.get();
    branch.way.events().forEach(world::happen);
    step(world, branch.state, branch.way, branch.event);
  }

  private void step(World world, String from, Way way, int event) {
    world.happen(event);
    Way on = new Way(event, way);
    String state = world.state();
    predecessors.computeIfAbsent(state, key -> new ArrayList<>(4)).add(from);
    if (ways.putIfAbsent(state, on) == null) {
      goOn(world, state, on);
    }
  }

  private void goOn(World at, String state, Way way) {
    try {
      at.check();
    } catch (AssertionError wrong) {
      throw new AssertionError("after " + way.events(), wrong);
    }
    if (at.isDone()) {
      completed.add(state);
      return;
    }
    List<Integer> events = at.events();
    if (events.isEmpty()) {
      return;
    }
    for (int event : events.subList(1, events.size())) {
      branches.addLast(new Branch(state, way, event));
    }
    step(at, state, way, events.getFirst());
  }

  Collection<String> states() {
    return ways.keySet();
  }

  /** What has happened where, from then on, whatever happens, not all will ever be done. */
  List<List<Integer>> deadEnds() {
    assertThat(completed).as("states in which all is done").isNotEmpty();
    Set<String> canComplete = new HashSet<>(completed);
    ArrayDeque<String> back = new ArrayDeque<>(completed);
    while (!back.isEmpty()) {
      for (String before : predecessors.getOrDefault(back.remove(), List.of())) {
        if (canComplete.add(before)) {
          back.add(before);
        }
      }
    }
    return ways.entrySet().stream()
        .filter(reached -> !canComplete.contains(reached.getKey()))
        .map(reached -> reached.getValue().events())
        .toList();
  }
}
