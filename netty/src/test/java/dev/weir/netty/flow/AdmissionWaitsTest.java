package dev.weir.netty.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Enumerates what a real gate and real aggregators can come to that draw on one memory: see {@link
 * AdmissionWorld}.
 */
class AdmissionWaitsTest {
  /** What is asked for at once is given in the end: no deadline is needed for that. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void declaredBodiesAreAdmittedHoweverLongTheyWait(boolean largestFirst) {
    StateSpace space =
        StateSpace.of(() -> new AdmissionWorld(AdmissionSetup.of(largestFirst, 2, 0)));
    assertThat(space.states())
        .hasSizeGreaterThan(1_000)
        .anyMatch(state -> state.startsWith("closed for all"))
        .anyMatch(state -> state.contains("body waits"));
    assertThat(space.deadEnds()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void growingBodiesAreAdmittedOrRefused(boolean largestFirst) {
    AdmissionSetup setup = AdmissionSetup.of(largestFirst, 1, 2).withDeadlines();
    StateSpace space = StateSpace.of(() -> new AdmissionWorld(setup));
    assertThat(space.states()).anyMatch(state -> state.contains("refused"));
    assertThat(space.deadEnds()).isEmpty();
  }

  /** Two that hold a part each may wait for each other. It is their deadlines that end that. */
  @Test
  void withoutDeadlinesGrowingBodiesMayWaitForEver() {
    Supplier<AdmissionWorld> beginning =
        () -> new AdmissionWorld(AdmissionSetup.of(/* largestFirst= */ false, 0, 2));
    assertThat(StateSpace.of(beginning).deadEnds())
        .isNotEmpty()
        .allMatch(way -> {
          AdmissionWorld there = beginning.get();
          way.forEach(there::happen);
          return there.received[0] > 0 && there.received[1] > 0;
        });
  }
}
