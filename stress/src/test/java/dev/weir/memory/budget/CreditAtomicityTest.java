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
 * A heap with credit of a budget, and others who charge the one above: nobody sees the credit.
 * Every operation does what it would have done alone, no limit is overshot, and no charge refused
 * that fits.
 */
@Param(name = "bytes", gen = IntGen.class, conf = "2:8")
public class CreditAtomicityTest {
  private final Budget root =
      Budget.root("root", () -> Long.MAX_VALUE, 10, () -> 0, new CreditTerms(3, 4, 0));
  private final Budget middle = root.child("middle", 12);
  private final Budget leaf = middle.child("leaf", 10);
  private final Credit credit = new Credit(leaf);

  @Operation(nonParallelGroup = "owner")
  public boolean chargeFromCredit(@Param(name = "bytes") int bytes) {
    return credit.tryCharge(bytes);
  }

  @Operation(nonParallelGroup = "owner")
  public void returnToCredit(@Param(name = "bytes") int bytes) {
    credit.uncharge(bytes);
  }

  @Operation
  public boolean chargeMiddle(@Param(name = "bytes") int bytes) {
    return middle.tryCharge(bytes);
  }

  @Operation
  public long charged() {
    return middle.chargedBytes();
  }

  @Test
  void nobodySeesTheCredit() {
    ModelChecking.check(getClass(), /* scenarios= */ 12, aReleaseThatOneSeesAndAnotherNeeds());
  }

  /** A credit holds more than its most until its owner has come to the lock. */
  private static ExecutionScenario aReleaseThatOneSeesAndAnotherNeeds() {
    return new ExecutionScenario(
        List.of(operation("chargeFromCredit", 5), operation("chargeMiddle", 4)),
        List.of(
            List.of(operation("returnToCredit", 5)),
            List.of(operation("charged")),
            List.of(operation("chargeMiddle", 8))),
        List.of(),
        /* validationFunction= */ null);
  }

  private static Actor operation(String name, Object... arguments) {
    return ModelChecking.operation(CreditAtomicityTest.class, name, arguments);
  }
}
