package dev.weir.cache.seq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.cache.CacheSlice;
import dev.weir.cache.seq.SeqSession.Held;
import dev.weir.cache.testing.Seeds;
import dev.weir.memory.budget.Budget;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SeqAllocatorTest {
  private static final SeqOptions SMALL =
      SeqOptions.defaults().withChunkBytes(SeqOptions.MIN_CHUNK_BYTES);

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8})
  void blocksAreAlignedAndOnlyThatIsRounded(int alignment) {
    try (SeqSession session = new SeqSession(64 << 20, SMALL.withAlignment(alignment))) {
      for (int bytes = 1; bytes < 2_000; bytes++) {
        Held block = session.allocate(bytes, 0);
        assertThat(session.allocator.segment(block.position).address() % alignment).isZero();
      }
      SeqFigures figures = session.allocator.figures();
      assertThat(figures.headerBytes()).isLessThan(2_000L * (4 + alignment));
    }
  }

  @Test
  void aRecordAboveAQuarterOfAChunkHasItsOwnRun() {
    try (SeqSession session = new SeqSession(64 << 20, SMALL)) {
      session.allocate(1_000, 0);
      Held large = session.allocate(70 << 10, 0);
      Held small = session.allocate(1_000, 0);

      assertThat(SeqAllocator.chunkNumber(large.position)).isEqualTo(1);
      assertThat(SeqAllocator.chunkNumber(small.position)).isZero();
      session.free(large);
      assertThat(session.allocator.figures().chunks()).isEqualTo(1);
    }
  }

  @Test
  void theRestOfAFullChunkGoesToTheNextSmallerRecord() {
    try (SeqSession session = new SeqSession(64 << 20, SMALL)) {
      for (int i = 0; i < 4; i++) {
        session.allocate(60 << 10, 0);
      }
      Held next = session.allocate(60 << 10, 0);
      Held smaller = session.allocate(100, 0);

      assertThat(SeqAllocator.chunkNumber(next.position)).isEqualTo(1);
      assertThat(SeqAllocator.chunkNumber(smaller.position)).isZero();
    }
  }

  @Test
  void aChunkTakesPagesAsItIsFilled() {
    try (SeqSession session = new SeqSession(64 << 20, SeqOptions.defaults())) {
      session.allocate(1_000, 0);
      assertThat(session.allocator.heldBytes()).isLessThanOrEqualTo(128 << 10);
      for (int i = 0; i < 200; i++) {
        session.allocate(1_000, 0);
        assertThat(session.allocator.figures().unusedBytes()).isLessThanOrEqualTo(128 << 10);
      }
      assertThat(session.allocator.figures().chunks()).isEqualTo(1);
      assertThat(session.waste()).isLessThan(0.1);
    }
  }

  @Test
  void aSliceKeepsItsBytesWhateverTheOwnerDoes() {
    try (SeqSession session = new SeqSession(64 << 20, SMALL)) {
      Held block = session.allocate(5_000, 0);
      CacheSlice slice = session.slice(block);
      assertThat(session.allocator.pins().pinnedBytes()).isEqualTo(SMALL.chunkBytes());
      session.free(block);

      assertThat(session.allocator.heldBytes()).isZero();
      assertThat(session.allocator.pins().orphanedBytes()).isPositive();
      assertThat(session.pool.parent.chargedBytes()).isPositive();
      SeqSession.verify(slice.segment(), block);
      CacheSlice part = slice.slice(1_000, 10);
      slice.release();
      assertThat(part.segment().byteSize()).isEqualTo(10);
      assertThatThrownBy(slice::release).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(slice::segment).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(slice::retain).isInstanceOf(IllegalStateException.class);
      part.retain().release();
      part.release();

      assertThat(session.allocator.pins().pinnedBytes()).isZero();
      assertThat(session.allocator.pins().orphanedBytes()).isZero();
      session.pool.assertNothingLeft();
    }
  }

  @Test
  void chunksThatReadersPinAreLeftAlone() {
    try (SeqSession session = new SeqSession(64 << 20, SMALL)) {
      for (int i = 0; i < 32; i++) {
        session.allocate(60 << 10, 0);
      }
      CacheSlice slice = session.slice(session.held.getFirst());
      int pinned = SeqAllocator.chunkNumber(session.held.getFirst().position);
      for (Held block : List.copyOf(session.held.subList(1, 32))) {
        session.free(block);
      }
      assertThat(session.allocator.compact(Long.MAX_VALUE)).isZero();
      assertThat(SeqAllocator.chunkNumber(session.held.getFirst().position)).isEqualTo(pinned);
      slice.release();
      assertThat(session.allocator.compact(Long.MAX_VALUE)).isEqualTo(60 << 10);
    }
  }

  @Test
  void aFullBudgetIsNoError() {
    try (SeqSession session = new SeqSession(64 << 20, SMALL)) {
      Budget budget = session.pool.parent;
      budget.setLimitBytes(1 << 20);
      int count = 0;
      while (session.tryAllocate(10_000, 0) != null) {
        count++;
      }
      assertThat(count).isBetween(70, 80); // a chunk of 256 KiB is for stragglers
      assertThat(budget.chargedBytes()).isLessThanOrEqualTo(1 << 20);
      assertThat(session.pool.pool.refusals()).isZero();
      session.free(session.held.getFirst());
    }
  }

  @Test
  void aPositionThatIsNotLiveIsRefused() {
    try (SeqSession session = new SeqSession(64 << 20, SMALL)) {
      Held first = session.allocate(100, 0);
      session.allocate(100, 0);
      session.free(first);

      assertThatThrownBy(() -> session.allocator.free(first.position))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("no live block");
      assertThatThrownBy(() -> session.allocator.segment(1L << 40))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void randomUseKeepsContentsAndFigures() {
    Seeds.forSeeds(getClass(), 6, SeqAllocatorTest::useRandomly);
  }

  private static void useRandomly(SplittableRandom random) {
    SeqOptions options = SMALL.withAlignment(1 << random.nextInt(4)).withLanes(2);
    try (SeqSession session = new SeqSession(32 << 20, options)) {
      session.pool.parent.setLimitBytes(8 << 20);
      List<CacheSlice> slices = new ArrayList<>();
      List<Held> sliced = new ArrayList<>();
      for (int step = 0; step < 8_000; step++) {
        switch (random.nextInt(10)) {
          case 0, 1, 2, 3, 4 ->
              session.tryAllocate(
                  1 + random.nextInt(1 << random.nextInt(1, 18)), random.nextInt(2));
          case 5, 6, 7 -> {
            if (!session.held.isEmpty()) {
              session.free(session.held.get(random.nextInt(session.held.size())));
            }
          }
          case 8 -> session.allocator.compact(random.nextInt(1 << 20));
          default -> {
            if (slices.size() > 4 || (!slices.isEmpty() && random.nextBoolean())) {
              int index = random.nextInt(slices.size());
              SeqSession.verify(slices.get(index).segment(), sliced.remove(index));
              slices.remove(index).release();
            } else if (!session.held.isEmpty()) {
              Held block = session.held.get(random.nextInt(session.held.size()));
              slices.add(session.slice(block));
              sliced.add(block);
            }
          }
        }
        if (step % 500 == 0) {
          session.allocator.checkInvariants();
        }
      }
      session.allocator.checkInvariants();
      session.compactAll();
      slices.forEach(CacheSlice::release);
      // Chunks that were pinned when they were half copied may have used up what is kept for that.
      session.pool.parent.setLimitBytes(9 << 20);
      session.compactAll();
      assertThat(session.waste())
          .as("%s", session.allocator.figures())
          .isLessThanOrEqualTo(0.10 + 192e3 / session.allocator.figures().liveBytes());
    }
  }
}
