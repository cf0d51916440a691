package dev.weir.memory;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.Credits;
import dev.weir.memory.budget.SmallCredit;
import dev.weir.memory.os.NativeMemory;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.Reservation;
import dev.weir.stress.ModelChecking;
import dev.weir.stress.SilentPages;
import java.util.List;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/**
 * Grants at once, of a budget of which a heap at work holds credit: the heap never keeps one from
 * what nobody uses, though it is given credit again and again.
 */
@Param(name = "pages", gen = IntGen.class, conf = "2:9")
@Param(name = "slot", gen = IntGen.class, conf = "1:4")
public class BudgetGrantsAtomicityTest {
  private static final long LIMIT_BYTES = 1 << 20;
  private static final Reservation ADDRESSES =
      Reservation.reserve(NativeMemory.system(), LIMIT_BYTES);

  private final PageHeap pages = SilentPages.heap(NativeMemory.system(), ADDRESSES, LIMIT_BYTES);
  private final Budget root = SmallCredit.root(3 * pages.pageBytes(), 4 * pages.pageBytes());
  private final Budget object = root.child("object", 12 * pages.pageBytes());
  private final Budget service = object.child("service", 10 * pages.pageBytes());
  private final GrantQueue queue = new GrantQueue(pages, root);
  private final Credits credits = new Credits();

  public BudgetGrantsAtomicityTest() {
    // A heap takes credit of what it charges several times.
    for (int i = 0; i < 10; i++) {
      credits.tryCharge(service, 1);
      credits.uncharge(service, 1);
    }
  }

  @Operation(nonParallelGroup = "owner")
  public boolean charge(@Param(name = "slot") int count) {
    return credits.tryCharge(service, count * pages.pageBytes());
  }

  @Operation(nonParallelGroup = "owner")
  public void release(@Param(name = "slot") int count) {
    credits.uncharge(service, count * pages.pageBytes());
  }

  @Operation
  public boolean tryRequest(@Param(name = "pages") int count) {
    return queue.tryRequest(count * pages.pageBytes(), object) != null;
  }

  @Test
  void nothingThatFitsIsRefused() {
    ModelChecking.check(
        getClass(), /* scenarios= */ 6, List.of(whileOneReleases(2), whileOneReleases(4)));
  }

  /** The release is behind the look that finds no room, or behind the recall. */
  private static ExecutionScenario whileOneReleases(int count) {
    return ModelChecking.scenario(
        List.of(operation("charge", 4), operation("tryRequest", 2)),
        List.of(List.of(operation("release", count)), List.of(operation("tryRequest", 6))));
  }

  private static Actor operation(String name, Object... arguments) {
    return ModelChecking.operation(BudgetGrantsAtomicityTest.class, name, arguments);
  }
}
