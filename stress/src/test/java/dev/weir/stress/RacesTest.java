package dev.weir.stress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.openjdk.jcstress.Options;
import org.openjdk.jcstress.infra.Status;
import org.openjdk.jcstress.infra.TestInfo;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.infra.runners.ForkedTestConfig;
import org.openjdk.jcstress.infra.runners.Runner;
import org.openjdk.jcstress.infra.runners.TestConfig;
import org.openjdk.jcstress.infra.runners.TestList;
import org.openjdk.jcstress.os.AffinityMode;
import org.openjdk.jcstress.os.NodeType;
import org.openjdk.jcstress.os.SchedulingClass;
import org.openjdk.jcstress.vm.CompileMode;

/**
 * Runs every jcstress test. The short form lets each race for a moment inside this JVM; {@code
 * -Dweir.test.long=true} gives each the JVMs of {@link ForkedRace}. Those of more actors than the
 * machine has processors, which jcstress leaves out, race longer inside this one instead.
 */
class RacesTest {
  private static final boolean LONG = Boolean.getBoolean("weir.test.long");

  private static final int MAX_MOMENTS = 50;

  /** Strides are short, so that the actors do not drift apart, and soon sized. */
  private static final Options OPTIONS =
      options(
          "-iters",
          LONG ? "30" : "2",
          "-time",
          LONG ? "1000" : "100",
          "-strideSize",
          "64",
          "-strideCount",
          "16");

  private static Options options(String... arguments) {
    Options options = new Options(arguments);
    try {
      assertThat(options.parse()).isTrue();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return options;
  }

  static Stream<String> races() {
    return TestList.tests().stream().sorted();
  }

  @Test
  void theRacesAreFound() {
    assertThat(races())
        .contains(
            "dev.weir.memory.GrantRaces.CancelAgainstServe",
            "dev.weir.memory.budget.BudgetRaces.ChargeAgainstClose",
            "dev.weir.memory.heap.HandOverRaces.ArrivalAtAClosingHeap",
            "dev.weir.netty.buffer.ReferenceCountRaces.ReleaseAgainstRelease");
  }

  @ParameterizedTest
  @MethodSource("races")
  void everyOutcomeIsAllowed(String race) throws Exception {
    int actors = TestList.getInfo(race).threads();
    if (LONG && actors <= Runtime.getRuntime().availableProcessors()) {
      ForkedRace.run(race);
    } else {
      runHere(race);
    }
  }

  /** A machine that is busy elsewhere may let no actor begin in its moment: it gets another. */
  private static void runHere(String race) throws ReflectiveOperationException {
    long states = 0;
    for (int i = 0; states == 0 && i < MAX_MOMENTS; i++) {
      states = statesThatHaveRaced(race);
    }
    assertThat(states).as("%s: states that both actors went through", race).isPositive();
  }

  private static long statesThatHaveRaced(String race) throws ReflectiveOperationException {
    TestInfo info = TestList.getInfo(race);
    SchedulingClass anywhere =
        new SchedulingClass(AffinityMode.NONE, info.threads(), NodeType.PACKAGE);
    TestConfig config = new TestConfig(OPTIONS, info, 0, List.of(), CompileMode.UNIFIED, anywhere);
    TestResult result = runner(info, config).run();
    result.setConfig(config);

    assertThat(result.status()).as("%s: %s", race, result.getMessages()).isEqualTo(Status.NORMAL);
    assertThat(result.grading().failureMessages).as("%s: %s", race, outcomes(result)).isEmpty();
    return result.getTotalCount();
  }

  /** The class that jcstress has generated for a test. */
  private static Runner<?> runner(TestInfo info, TestConfig config)
      throws ReflectiveOperationException {
    return (Runner<?>)
        Class.forName(info.generatedRunner())
            .getConstructor(ForkedTestConfig.class)
            .newInstance(new ForkedTestConfig(config));
  }

  private static String outcomes(TestResult result) {
    return result.getStateKeys().stream()
        .map(state -> "%,d × %s".formatted(result.getCount(state), state))
        .toList()
        .toString();
  }
}
