package dev.weir.compression.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.compression.MemoryUnderTest;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a library takes and what is set aside for it go back together, whatever fails. */
class LibraryMemoryTest {
  private static final int BYTES = 100_000;

  private final MemoryUnderTest memory = new MemoryUnderTest();
  private final ContextMemory contexts = memory.contexts;
  private final List<String> closed = new ArrayList<>();

  private static final class Made {
    final LibraryMemory<String> of;
    final Cleaner.Cleanable release;

    Made(LibraryMemory<String> of) {
      this.of = of;
      this.release = of.releaseWith(this);
    }
  }

  @AfterEach
  void nothingIsSetAside() {
    memory.assertNothingHeld();
    memory.close();
  }

  @Test
  void bothGoBackOnce() {
    Made made = LibraryMemory.tryMake(contexts, BYTES, () -> "context", closed::add, Made::new);
    assertThat(made.of.handle()).isEqualTo("context");
    assertThat(made.of.bytes()).isEqualTo(memory.budget.chargedBytes()).isGreaterThan(BYTES - 1);
    assertThat(closed).isEmpty();
    made.release.clean();
    made.release.clean();
    assertThat(closed).containsExactly("context");
    Reference.reachabilityFence(made);
  }

  @Test
  void withoutRoomTheLibraryTakesNothing() {
    memory.budget.setLimitBytes(BYTES / 2);
    Made made =
        LibraryMemory.tryMake(
            contexts,
            BYTES,
            () -> {
              throw new AssertionError("there is no room");
            },
            closed::add,
            Made::new);
    assertThat(made).isNull();
  }

  @Test
  void whatTheLibraryDoesNotTakeIsNotSetAside() {
    IOException failure = new IOException("made to fail");
    assertThatThrownBy(() ->
            LibraryMemory.tryMake(
                contexts,
                BYTES,
                () -> {
                  throw failure;
                },
                closed::add,
                Made::new))
        .isSameAs(failure);
    assertThat(closed).isEmpty();
  }

  @Test
  void whatNoContextComesOfGoesBack() {
    IllegalStateException failure = new IllegalStateException("made to fail");
    assertThatThrownBy(() ->
            LibraryMemory.tryMake(
                contexts,
                BYTES,
                () -> "context",
                closed::add,
                of -> {
                  throw failure;
                }))
        .isSameAs(failure);
    assertThat(closed).containsExactly("context");
  }

  @Test
  void aLibraryThatFailsToCloseKeepsNoRoom() {
    IllegalStateException failure = new IllegalStateException("made to fail");
    Made made =
        LibraryMemory.tryMake(
            contexts,
            BYTES,
            () -> "context",
            handle -> {
              throw failure;
            },
            Made::new);
    assertThatThrownBy(() -> made.release.clean()).isSameAs(failure);
  }
}
