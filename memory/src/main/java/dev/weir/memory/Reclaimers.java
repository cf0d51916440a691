package dev.weir.memory;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.pressure.Reclaimer;
import dev.weir.memory.pressure.Registration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The reclaimers of a pool, in the order in which they are asked. Thread-safe. */
final class Reclaimers {
  /**
   * How often one is asked for the same request, each time for twice as much: 128 times the request
   * in the end, which makes room though each page of what it holds has other blocks too.
   */
  static final int MAX_ASKS = 8;

  private final Budget root;
  private final LongSupplier clock;
  private volatile List<ReclaimerCalls> inOrder = List.of();

  Reclaimers(Budget root) {
    this(root, System::nanoTime);
  }

  Reclaimers(Budget root, LongSupplier clock) {
    this.root = root;
    this.clock = clock;
  }

  Registration add(Budget holder, int priority, Reclaimer reclaimer) {
    ReclaimerCalls calls = new ReclaimerCalls(reclaimer, holder, priority, clock);
    // Made first: without it nobody could end what has begun.
    Registration registration =
        () -> {
          calls.close();
          synchronized (this) {
            inOrder = inOrder.stream().filter(each -> !each.equals(calls)).toList();
          }
        };
    synchronized (this) {
      List<ReclaimerCalls> more = new ArrayList<>(inOrder);
      more.add(calls);
      more.sort(Comparator.comparingInt(ReclaimerCalls::priority));
      inOrder = List.copyOf(more);
    }
    return registration;
  }

  List<ReclaimerCalls> inOrder() {
    return inOrder;
  }

  /**
   * Asks one after the other for what a request needs, until it can be served. Those that other
   * threads are asking are waited for, {@link Patience#MOST_NANOS} in all.
   *
   * @param bytes what is needed
   * @param budget what is to be charged for it
   * @param retry tries to serve the request; null if there is still no room
   * @return what {@code retry} returned last; null also if nobody was asked
   */
  <T> @Nullable T serveAfterAsking(long bytes, Budget budget, Supplier<@Nullable T> retry) {
    List<ReclaimerCalls> all = inOrder;
    if (all.isEmpty() || all.stream().anyMatch(ReclaimerCalls::isUnderWayHere)) {
      return null;
    }
    Patience patience = new Patience();
    for (ReclaimerCalls reclaimer : all) {
      for (int ask = 0; ask < MAX_ASKS; ask++) {
        Budget full = budget.fullFor(bytes);
        if (!reclaimer.helps(full == null ? root : full)
            || !reclaimer.ask(wantedBytes(bytes, ask), patience)) {
          break;
        }
        T served = retry.get();
        if (served != null) {
          return served;
        }
      }
    }
    return null;
  }

  /** What to ask for the n-th time, from 0 on. */
  static long wantedBytes(long bytes, int ask) {
    return bytes > Long.MAX_VALUE >> ask ? Long.MAX_VALUE : Math.max(1, bytes) << ask;
  }
}
