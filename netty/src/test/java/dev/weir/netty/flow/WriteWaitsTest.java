package dev.weir.netty.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The same as {@link AdmissionWaitsTest} where the memory of a body goes back when its answer has
 * been taken, for which a real write gate has it wait: there is room for two of three bodies, and
 * less to be sent than two peers leave.
 */
class WriteWaitsTest {
  private static final Set<Integer> NOBODY = Set.of();
  private static final Set<Integer> ONE = Set.of(0);
  private static final Set<Integer> TWO = Set.of(0, 1);

  private static Supplier<AdmissionWorld> world(boolean largestFirst, Supplier<Answers> answers) {
    AdmissionSetup setup =
        AdmissionSetup.of(largestFirst, /* plain= */ 0, /* growing= */ 0)
            .withDeclared(GatedAnswers.PIECES, /* parts= */ 1, GatedAnswers.PIECE_BYTES);
    return () -> new AdmissionWorld(setup, Connections::new, answers.get());
  }

  private static Supplier<AdmissionWorld> world(
      int slowBytes, Set<Integer> stuck, boolean timePasses) {
    return world(/* largestFirst= */ false, () -> new GatedAnswers(slowBytes, stuck, timePasses));
  }

  /** No deadline is needed for that. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void allAreAnsweredHoweverLongTheirPeersTake(boolean largestFirst) {
    StateSpace space =
        StateSpace.of(
            world(
                largestFirst,
                () ->
                    new GatedAnswers(
                        GatedAnswers.slowByDefault(), NOBODY, /* timePasses= */ false)));
    assertThat(space.states())
        .hasSizeGreaterThan(100)
        .anyMatch(state -> state.contains("body waits") && state.contains("writes stop"));
    assertThat(space.deadEnds()).isEmpty();
  }

  /** One that has its queue taken may queue more, also while the gate is closed. */
  @Test
  void onePeerThatTakesNothingIsInNobodysWay() {
    StateSpace space =
        StateSpace.of(world(GatedAnswers.slowByDefault(), ONE, /* timePasses= */ false));
    assertThat(space.states()).anyMatch(state -> state.contains("writes stop"));
    assertThat(space.deadEnds()).isEmpty();
  }

  /** Bodies wait for memory that is held for answers that wait for their peers. */
  @Test
  void withoutDeadlinesTwoPeersThatTakeNothingMayHoldAllMemoryForEver() {
    Supplier<AdmissionWorld> beginning =
        world(GatedAnswers.slowByDefault(), TWO, /* timePasses= */ false);
    List<List<Integer>> deadEnds = StateSpace.of(beginning).deadEnds();
    assertThat(deadEnds)
        .allMatch(way -> {
          AdmissionWorld there = at(beginning, way);
          return there.received[0] > 0 && there.received[1] > 0;
        })
        .anyMatch(way -> {
          AdmissionWorld there = at(beginning, way);
          return TWO.stream().allMatch(there.answers::isKept)
              && there.state().contains("body waits at 2");
        });
  }

  private static AdmissionWorld at(Supplier<AdmissionWorld> beginning, List<Integer> way) {
    AdmissionWorld there = beginning.get();
    way.forEach(there::happen);
    return there;
  }

  /** Slow by default, or only where others wait. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void peersThatTakeNothingAreClosedBeforeOthersWaitForEver(boolean forOthersOnly) {
    int slowBytes = forOthersOnly ? GatedAnswers.slowForOthersOnly() : GatedAnswers.slowByDefault();
    StateSpace space = StateSpace.of(world(slowBytes, TWO, /* timePasses= */ true));
    assertThat(space.states())
        .anyMatch(state -> state.contains("body waits") && state.contains("writes stop"))
        .anyMatch(state -> state.contains(" closed "));
    assertThat(space.deadEnds()).isEmpty();
  }
}
