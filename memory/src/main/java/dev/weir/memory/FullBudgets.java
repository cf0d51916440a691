package dev.weir.memory;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.pages.Lane;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Budgets that had no room for one that waits, each with the first that waits for it. Who comes
 * later and would charge the same budget waits behind that one. But small requests overtake a large
 * one until they have got a 16th of the budget's limit: so it does not hold them up at once, and
 * they do not starve it. Behind the first of them that cannot do so none does.
 *
 * <p>Not thread-safe: the queue's lock guards it.
 */
final class FullBudgets {
  /** The part of a budget's limit by which small ones overtake a large one. */
  private static final int SMALL_SHARE = 16;

  /** The most that are looked at for what would help them. */
  private static final int WINDOW = 16;

  private final Map<Budget, WaitingGrant> firstWaiting = new LinkedHashMap<>();

  /** How many {@link #addWindow} passes over. */
  private int windowFrom;

  /** Begins anew. */
  void clear() {
    firstWaiting.clear();
  }

  /** A budget has no room for a request that nobody holds up. */
  void add(Budget full, WaitingGrant request) {
    // Read first: where the Java virtual machine has no room for that, nothing has happened.
    long share = full.limitBytes() / SMALL_SHARE;
    WaitingGrant first = firstWaiting.get(full);
    if (first == null) {
      put(full, request);
      request.overtakableBytes = share - request.overtakenBytes;
    } else {
      keepOrder(request, first);
    }
  }

  private void put(Budget full, WaitingGrant request) {
    boolean done = false;
    try {
      firstWaiting.put(full, request);
      done = true;
    } finally {
      if (!done) {
        // A map grows when the new one is in it already.
        firstWaiting.remove(full);
      }
    }
  }

  /** A request waits behind others. */
  void addHeldUp(WaitingGrant request) {
    WaitingGrant first = request.lane == Lane.SMALL_PROMISE ? holdingUp(request) : null;
    if (first != null) {
      keepOrder(request, first);
    }
  }

  /** A small one that could not overtake the first is not overtaken by those that come later. */
  private static void keepOrder(WaitingGrant request, WaitingGrant first) {
    if (request.lane == Lane.SMALL_PROMISE) {
      first.overtakableBytes = 0;
    }
  }

  /** The one behind which a request has to wait; null: there is none. */
  @Nullable WaitingGrant holdingUp(WaitingGrant request) {
    for (Budget node = request.budget; node != null; node = parent(node)) {
      WaitingGrant first = firstWaiting.get(node);
      if (first != null && !mayOvertake(request, first)) {
        return first;
      }
    }
    return null;
  }

  private static boolean mayOvertake(WaitingGrant request, WaitingGrant first) {
    return request.lane == Lane.SMALL_PROMISE
        && first.lane == Lane.PROMISE
        && request.bytes <= first.overtakableBytes;
  }

  /** A request is served, before those that wait for the same budgets. */
  void served(WaitingGrant request) {
    for (Budget node = request.budget; node != null; node = parent(node)) {
      WaitingGrant first = firstWaiting.get(node);
      if (first != null) {
        first.overtakenBytes += request.bytes;
        first.overtakableBytes -= request.bytes;
      }
    }
  }

  private @Nullable Budget parent(Budget node) {
    return firstWaiting.isEmpty() ? null : node.parent();
  }

  /**
   * Adds a few of the first that wait: those in the window, which moves on, and begins anew behind
   * the last.
   */
  void addWindow(List<WaitingGrant> found) {
    int passed = windowFrom < firstWaiting.size() ? windowFrom : 0;
    Iterator<WaitingGrant> each = firstWaiting.values().iterator();
    for (int i = 0; i < passed + WINDOW && each.hasNext(); i++) {
      WaitingGrant request = each.next();
      if (i >= passed && !found.contains(request)) {
        found.add(request);
      }
    }
    windowFrom = passed + WINDOW < firstWaiting.size() ? passed + WINDOW : 0;
  }
}
