package dev.weir.netty.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The same as {@link AdmissionWaitsTest} with files for bodies whose patience ends: every wait for
 * memory ends in memory or in a file, or, where files are full too, with a refusal.
 */
class SpillWaitsTest {
  /** As much as all bodies come to, two of which grow. */
  private static final int FOR_ALL = 14;

  /** As much as one that grows. */
  private static final int FOR_ONE = 6;

  @TempDir private Path folder;

  private Supplier<AdmissionWorld> world(AdmissionSetup setup, int units, boolean diskWorks) {
    return () -> new AdmissionWorld(setup.withFiles(folder, units, diskWorks));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void nobodyIsRefusedWhereFilesHaveRoom(boolean largestFirst) {
    AdmissionSetup setup = AdmissionSetup.of(largestFirst, 1, 2).withDeadlines();
    StateSpace space = StateSpace.of(world(setup, FOR_ALL, /* diskWorks= */ true));
    assertThat(space.states())
        .hasSizeGreaterThan(1_000)
        .anyMatch(state -> state.contains("on disk " + FOR_ALL))
        .noneMatch(state -> state.contains("refused"));
    assertThat(space.deadEnds()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whereFilesAreFullBodiesAreRefused(boolean largestFirst) {
    AdmissionSetup setup = AdmissionSetup.of(largestFirst, 1, 2).withDeadlines();
    StateSpace space = StateSpace.of(world(setup, FOR_ONE, /* diskWorks= */ true));
    assertThat(space.states())
        .hasSizeGreaterThan(1_000)
        .anyMatch(state -> state.contains("on disk " + FOR_ONE))
        .anyMatch(state -> state.contains("refused"));
    assertThat(space.deadEnds()).isEmpty();
  }

  /** Files help nobody who waits for ever before. */
  @Test
  void withoutAnEndOfPatienceGrowingBodiesMayWaitForEver() {
    AdmissionSetup setup = AdmissionSetup.of(/* largestFirst= */ false, 0, 2);
    assertThat(StateSpace.of(world(setup, FOR_ALL, /* diskWorks= */ true)).deadEnds()).isNotEmpty();
  }

  /** The one wait that this leaves to somebody else. */
  @Test
  void withADiskThatDoesNothingThoseWaitThatAreOnIt() {
    Supplier<AdmissionWorld> beginning =
        world(
            AdmissionSetup.of(/* largestFirst= */ false, 0, 1).withDeadlines(),
            FOR_ALL,
            /* diskWorks= */ false);
    StateSpace space = StateSpace.of(beginning);
    List<List<Integer>> deadEnds = space.deadEnds();
    assertThat(deadEnds)
        .isNotEmpty()
        .allMatch(way -> {
          AdmissionWorld there = beginning.get();
          way.forEach(there::happen);
          return there.waitsForDisk();
        });
  }
}
