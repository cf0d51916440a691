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
 * A heap with credit of a budget, and others who charge the one above, look for room, lower its
 * limit and close the one below: nobody sees the credit. Every operation does what it would have
 * done alone, no limit is overshot, and no charge refused that fits.
 */
@Param(name = "bytes", gen = IntGen.class, conf = "2:8")
@Param(name = "slot", gen = IntGen.class, conf = "2:4")
@Param(name = "limit", gen = IntGen.class, conf = "6:12")
public class CreditAtomicityTest {
  /** No slot is larger than what a credit may be. */
  private static final CreditTerms TERMS = new CreditTerms(3, 4, 0);

  private final Budget root = Budget.root("root", () -> Long.MAX_VALUE, 10, () -> 0, TERMS);
  private final Budget middle = root.child("middle", 12);
  private final Budget leaf = middle.child("leaf", 10);
  private final Credit credit = new Credit(leaf);

  @Operation(nonParallelGroup = "owner")
  public boolean chargeFromCredit(@Param(name = "slot") int bytes) {
    return credit.tryCharge(bytes);
  }

  @Operation(nonParallelGroup = "owner")
  public void returnToCredit(@Param(name = "slot") int bytes) {
    credit.uncharge(bytes);
  }

  @Operation
  public boolean chargeMiddle(@Param(name = "bytes") int bytes) {
    return middle.tryCharge(bytes);
  }

  @Operation
  public boolean room(@Param(name = "bytes") int bytes) {
    return middle.hasRoom(bytes);
  }

  @Operation
  public long charged() {
    return middle.chargedBytes();
  }

  @Operation
  public void limitMiddle(@Param(name = "limit") int limit) {
    middle.setLimitBytes(limit);
  }

  @Operation
  public long limit() {
    return middle.limitBytes();
  }

  @Operation
  public void closeLeaf() {
    leaf.close();
  }

  @Operation
  public boolean isLeafClosed() {
    return leaf.isClosed();
  }

  @Test
  void nobodySeesTheCredit() {
    ModelChecking.check(
        getClass(),
        /* scenarios= */ 12,
        List.of(
            aReleaseThatOneSeesAndAnotherNeeds(),
            aClosedOneIsCharged(operation("closeLeaf"), operation("isLeafClosed")),
            aClosedOneIsCharged(operation("limitMiddle", 6), operation("limit"))));
  }

  /** A credit holds more than its most until its owner has come to the lock. */
  private static ExecutionScenario aReleaseThatOneSeesAndAnotherNeeds() {
    return ModelChecking.scenario(
        List.of(operation("chargeFromCredit", 4), operation("chargeMiddle", 4)),
        List.of(
            List.of(operation("returnToCredit", 4)),
            List.of(operation("charged")),
            List.of(operation("chargeMiddle", 8))));
  }

  /** Who sees that a budget gives nothing any more gets nothing of it, credit or not. */
  private static ExecutionScenario aClosedOneIsCharged(Actor closes, Actor looks) {
    return ModelChecking.scenario(
        List.of(operation("chargeFromCredit", 4)),
        List.of(List.of(looks, operation("chargeFromCredit", 3)), List.of(closes)));
  }

  private static Actor operation(String name, Object... arguments) {
    return ModelChecking.operation(CreditAtomicityTest.class, name, arguments);
  }
}
