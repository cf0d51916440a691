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
public class RemoteFreesAtomicityTest {
  private final RemoteFrees frees = new RemoteFrees(3);

  @Operation(runOnce = true)
  public boolean pushFirst() {
    return frees.push(0);
  }

  @Operation(runOnce = true)
  public boolean pushSecond() {
    return frees.push(1);
  }

  @Operation(runOnce = true)
  public boolean pushThird() {
    return frees.push(2);
  }

  @Operation(nonParallelGroup = "heap")
  public List<Integer> takeAll() {
    List<Integer> taken = new ArrayList<>();
    for (int number = frees.takeAll(); number != RemoteFrees.END; number = frees.next(number)) {
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
