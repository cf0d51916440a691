package dev.weir.stress;

import java.lang.reflect.Method;
import java.util.List;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.util.LoggingLevel;

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
   *     longer ones, and prints each as it begins
   */
  public static void check(Class<?> operations, int scenarios) {
    check(operations, scenarios, List.of());
  }

  /** The same, and scenarios of its own before those that are generated. */
  public static void check(
      Class<?> operations, int scenarios, List<ExecutionScenario> knownScenarios) {
    ModelCheckingOptions options = new ModelCheckingOptions();
    knownScenarios.forEach(options::addCustomScenario);
    options
        .iterations(LONG ? scenarios * 30 : scenarios)
        .invocationsPerIteration(LONG ? 5_000 : 300)
        .threads(3)
        .actorsPerThread(LONG ? 3 : 2)
        .logLevel(LONG ? LoggingLevel.INFO : LoggingLevel.WARN)
        .check(operations);
  }

  /** What one thread does first, and what each of several does after that. */
  public static ExecutionScenario scenario(List<Actor> first, List<List<Actor>> threads) {
    return new ExecutionScenario(first, threads, List.of(), /* validationFunction= */ null);
  }

  /** An operation of a scenario. */
  public static Actor operation(Class<?> operations, String name, Object... arguments) {
    for (Method method : operations.getMethods()) {
      if (method.getName().equals(name)) {
        return new Actor(method, List.of(arguments));
      }
    }
    throw new IllegalArgumentException(operations + " has no operation " + name);
  }
}
