package dev.weir.memory.heap;

import dev.weir.stress.ModelChecking;
import java.util.ArrayList;
import java.util.List;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/**
 * Three slots are pushed, each by whoever has it, while the heap takes, marks and takes the mark
 * away: what each of them is told is what it would be told if one thread did it all.
 */
public class RemoteSlotsAtomicityTest {
  private final RemoteSlots frees = new ThreeSlots();

  private static final class ThreeSlots extends RemoteSlots {
    @SuppressWarnings("NullAway") // in no heap
    ThreeSlots() {
      super(null, SizeClasses.spanSize(0), 0, SizeClasses.slotBytes(0), 3);
    }
  }

  @Operation(runOnce = true)
  public boolean pushFirst() {
    return frees.pushRemote(0);
  }

  @Operation(runOnce = true)
  public boolean pushSecond() {
    return frees.pushRemote(1);
  }

  @Operation(runOnce = true)
  public boolean pushThird() {
    return frees.pushRemote(2);
  }

  @Operation(nonParallelGroup = "heap")
  public List<Integer> takeAll() {
    List<Integer> taken = new ArrayList<>();
    for (int number = frees.takeRemote();
        number != RemoteSlots.END;
        number = frees.nextRemote(number)) {
      taken.add(number);
    }
    return taken;
  }

  @Operation(nonParallelGroup = "heap")
  public boolean mark() {
    return frees.tryMark();
  }

  @Operation(nonParallelGroup = "heap")
  public boolean unmark() {
    return frees.tryUnmark();
  }

  @Test
  void everyOperationIsAtomic() {
    ModelChecking.check(getClass(), /* scenarios= */ 12);
  }
}
