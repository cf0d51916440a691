package dev.weir.stress;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;

/**
 * Lincheck's model checker: it stops threads at every access to shared memory, tries the
 * interleavings of generated scenarios, and compares what the operations returned with what they
 * return one after the other. It assumes sequential consistency; what the memory model allows
 * beyond that, the races look for.
 */
public final class ModelChecking {
  private static final boolean LONG = Boolean.getBoolean("weir.test.long");

  private ModelChecking() {}

  /**
   * Checks a class of operations.
   *
   * @param scenarios how many of the short form; {@code -Dweir.test.long=true} takes many more, and
   *     longer ones
   */
  public static void check(Class<?> operations, int scenarios) {
    new ModelCheckingOptions()
        .iterations(LONG ? scenarios * 30 : scenarios)
        .invocationsPerIteration(LONG ? 5_000 : 300)
        .threads(3)
        .actorsPerThread(LONG ? 3 : 2)
        .check(operations);
  }
}
