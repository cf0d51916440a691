package dev.weir.memory.budget;

import dev.weir.stress.ModelChecking;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/**
 * A root and two levels of budgets below it: every operation, whatever runs beside it, does what it
 * would have done alone at some moment between its call and its return.
 */
@Param(name = "bytes", gen = IntGen.class, conf = "1:6")
@Param(name = "limit", gen = IntGen.class, conf = "0:12")
public class BudgetAtomicityTest {
  private final Budget root = Budget.root("root", () -> Long.MAX_VALUE, 10, () -> 0);
  private final Budget middle = root.child("middle", 10);
  private final Budget leaf = middle.child("leaf", 8);

  @Operation
  public boolean chargeLeaf(@Param(name = "bytes") int bytes) {
    return leaf.tryCharge(bytes);
  }

  @Operation
  public boolean chargeMiddle(@Param(name = "bytes") int bytes) {
    return middle.tryCharge(bytes);
  }

  @Operation
  public void unchargeLeaf(@Param(name = "bytes") int bytes) {
    leaf.uncharge(bytes);
  }

  @Operation
  public void unchargeMiddle(@Param(name = "bytes") int bytes) {
    middle.uncharge(bytes);
  }

  @Operation
  public void limitMiddle(@Param(name = "limit") int limit) {
    middle.setLimitBytes(limit);
  }

  @Operation
  public long charged() {
    return middle.chargedBytes();
  }

  @Operation
  public long peak() {
    return middle.peakChargedBytes();
  }

  @Operation
  public boolean room(@Param(name = "bytes") int bytes) {
    return leaf.hasRoom(bytes);
  }

  @Operation
  public void closeMiddle() {
    middle.close();
  }

  @Operation
  public int children() {
    return root.children().size();
  }

  @Test
  void everyOperationIsAtomic() {
    ModelChecking.check(getClass(), /* scenarios= */ 12);
  }
}
