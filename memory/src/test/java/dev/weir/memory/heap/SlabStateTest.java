package dev.weir.memory.heap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The life of a slab, one transition after the other, as its owner brings them about. */
class SlabStateTest extends OwnedSlots {
  @Test
  void aSlabIsCurrentThenFullThenAvailableThenRetired() {
    List<Slot> first = take(SLOTS, SIZE_CLASS);
    Slab slab = slab(first.getFirst());
    assertThat(slab.state()).isEqualTo(SlabState.CURRENT);

    Slot other = take(SIZE_CLASS);
    assertThat(slab.state()).isEqualTo(SlabState.FULL);
    assertThat(slab(other).state()).isEqualTo(SlabState.CURRENT);

    free(first.removeFirst());
    assertThat(slab.state()).isEqualTo(SlabState.AVAILABLE);

    first.forEach(this::free);
    assertThat(slab.state()).isEqualTo(SlabState.RETIRED);
  }

  @Test
  void aRetiredSlabComesBackAsTheCurrentOne() {
    Slot only = take(SIZE_CLASS);
    Slab slab = slab(only);
    free(only);
    assertThat(slab.state()).as("its owner may need it").isEqualTo(SlabState.CURRENT);
    owned.trim();
    assertThat(slab.state()).isEqualTo(SlabState.RETIRED);

    assertThat(slab(take(SIZE_CLASS))).isSameAs(slab);
    assertThat(slab.state()).isEqualTo(SlabState.CURRENT);
  }

  @Test
  void aSlabWhosePagesWereGivenBackIsPartlyCommittedUntilTheyAreNeeded() {
    List<Slot> first = take(SLOTS, SIZE_CLASS);
    List<Slot> others = take(2 * SLOTS, SIZE_CLASS);
    Slab slab = slab(first.getFirst());
    while (first.size() > 2) {
      free(first.removeLast());
    }
    assertThat(slab.state()).isEqualTo(SlabState.AVAILABLE);
    owned.trim();
    assertThat(slab.state()).as("until it would be taken").isEqualTo(SlabState.AVAILABLE);

    free(others.getFirst());
    take(SIZE_CLASS);
    assertThat(slab.state()).isEqualTo(SlabState.PARTLY_COMMITTED);

    take(SIZE_CLASS);
    assertThat(slab.state()).isEqualTo(SlabState.CURRENT);
  }

  /** The diagram of {@link SlabState}, as a table: rows are from, columns to. */
  @Test
  void noOtherTransitionIsMade() {
    boolean[][] allowed = {
      // RETIRED CURRENT AVAILABLE FULL PARTLY_COMMITTED
      {false, true, false, false, false},
      {true, false, true, true, true},
      {true, true, true, true, true},
      {false, false, true, false, false},
      {false, true, true, false, false}
    };
    for (SlabState from : SlabState.values()) {
      for (SlabState to : SlabState.values()) {
        assertThat(from.mayBecome(to))
            .as("%s to %s", from, to)
            .isEqualTo(allowed[from.ordinal()][to.ordinal()]);
      }
    }
  }

  @Test
  void aTransitionThatIsNotInTheDiagramIsRefused() {
    Slab slab = slab(take(SIZE_CLASS));
    assertThatIllegalStateException()
        .isThrownBy(() -> slab.become(SlabState.CURRENT))
        .withMessage("a slab that is CURRENT does not become CURRENT");
  }
}
