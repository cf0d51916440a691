package dev.weir.memory.budget;

import dev.weir.stress.ModelChecking;
import java.util.List;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/**
 * Two heaps with credit of a budget, which one thread after the other owns, and others who charge
 * the budget above or look for room in it: what one heap spends while another gets it back refuses
 * nobody anything that fits.
 */
@Param(name = "bytes", gen = IntGen.class, conf = "2:9")
@Param(name = "slot", gen = IntGen.class, conf = "1:4")
public class TwoCreditsAtomicityTest {
  private final Budget root =
      Budget.root("root", () -> Long.MAX_VALUE, 10, () -> 0, new CreditTerms(3, 4, 0));
  private final Budget middle = root.child("middle", 12);
  private final Budget leaf = middle.child("leaf", 10);
  private final Credit first = new Credit(leaf);
  private final Credit second = new Credit(leaf);

  @Operation(nonParallelGroup = "owner")
  public boolean chargeFirst(@Param(name = "slot") int bytes) {
    return first.tryCharge(bytes);
  }

  @Operation(nonParallelGroup = "owner")
  public void returnToFirst(@Param(name = "slot") int bytes) {
    first.uncharge(bytes);
  }

  @Operation(nonParallelGroup = "owner")
  public boolean chargeSecond(@Param(name = "slot") int bytes) {
    return second.tryCharge(bytes);
  }

  @Operation(nonParallelGroup = "owner")
  public void returnToSecond(@Param(name = "slot") int bytes) {
    second.uncharge(bytes);
  }

  @Operation
  public boolean chargeMiddle(@Param(name = "bytes") int bytes) {
    return middle.tryCharge(bytes);
  }

  @Operation
  public void returnToMiddle(@Param(name = "bytes") int bytes) {
    middle.uncharge(bytes);
  }

  @Operation
  public boolean room(@Param(name = "bytes") int bytes) {
    return middle.hasRoom(bytes);
  }

  @Test
  void nothingThatFitsIsRefused() {
    ModelChecking.check(
        getClass(),
        /* scenarios= */ 12,
        List.of(
            handedToAndFro(operation("chargeMiddle", 9)), handedToAndFro(operation("room", 9))));
  }

  /** Three are charged all the time, or two. */
  private static ExecutionScenario handedToAndFro(Actor wantsTheRest) {
    return ModelChecking.scenario(
        List.of(operation("chargeFirst", 2), operation("chargeSecond", 1)),
        List.of(
            List.of(operation("returnToSecond", 1), operation("chargeFirst", 1)),
            List.of(wantsTheRest)));
  }

  private static Actor operation(String name, Object... arguments) {
    return ModelChecking.operation(TwoCreditsAtomicityTest.class, name, arguments);
  }
}
