package dev.weir.cache.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.cache.CacheSlice;
import dev.weir.cache.testing.TestPool;
import dev.weir.memory.Block;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.pressure.Registration;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LogCacheTest {
  private final TestPool pool = new TestPool(64 << 20);
  private final LogModel model = new LogModel(pool, LogCacheOptions.withCapacity(8 << 20));
  private final LogCache cache = model.cache;

  @AfterEach
  void nothingIsLeft() {
    cache.checkInvariants();
    cache.close();
    cache.close();
    pool.close();
  }

  @Test
  void readsHaveTheBeginningTheEndOrTheMiddleOfARange() {
    model.put(7, 100, 10, 50);
    model.put(7, 0, 10, 60);

    for (long[] range :
        new long[][] {
          {100, 120}, {105, 118}, {110, 130}, {90, 110}, {0, 500}, {0, 100}, {120, 130}
        }) {
      model.checkRead(7, range[0], range[1], 1_000);
    }
    model.checkRead(7, 100, 120, 50);
    model.checkRead(7, 100, 120, 1);
    model.checkRead(8, 100, 120, 1_000);
    LogCacheFigures figures = cache.figures();
    assertThat(figures.reads()).isEqualTo(10);
    assertThat(figures.hits()).isEqualTo(2);
    assertThat(figures.partialHits()).isEqualTo(5);
    assertThat(figures.misses()).isEqualTo(3);
  }

  @Test
  void aReadIsNotCopied() {
    model.put(1, 0, 1, 100_000);
    try (LogRead read = cache.read(1, 0, 1, 1)) {
      assertThat(cache.figures().pinnedBytes()).isPositive();
      assertThat(cache.figures().copiedBytes()).isZero();
      assertThat(read.batches().getFirst().bytes().segment().isReadOnly()).isTrue();
    }
    assertThat(cache.figures().pinnedBytes()).isZero();
  }

  @Test
  void whenReadersPinAsMuchAsTheyMayReadsAreCopied() {
    for (int i = 0; i < 70; i++) {
      model.put(1, 0, 1, 50_000);
    }
    List<LogRead> reads = new ArrayList<>();
    for (int i = 0; i < 70; i++) {
      reads.add(cache.read(1, i, i + 1, 1));
    }
    LogCacheFigures figures = cache.figures();
    assertThat(figures.pinnedBytes()).isLessThanOrEqualTo(1 << 20);
    assertThat(figures.copiedBytes()).isGreaterThan(70 * 50_000 - 2 * (1 << 20));
    assertThat(pool.parent.chargedBytes())
        .isGreaterThan(cache.budget().chargedBytes() + figures.copiedBytes() - 1);
    for (int i = 0; i < 70; i++) {
      LogModel.checkBytes(reads.get(i).batches().getFirst(), model.streams.get(1L).get(i));
    }
    reads.forEach(LogRead::close);
    assertThat(pool.parent.chargedBytes()).isEqualTo(cache.budget().chargedBytes());
  }

  @Test
  void aReadForWhoseCopyThereIsNoMemoryIsRefused() {
    for (int i = 0; i < 70; i++) {
      model.put(1, 0, 1, 50_000);
    }
    List<LogRead> reads = new ArrayList<>();
    pool.parent.setLimitBytes(pool.parent.chargedBytes());
    for (int i = 0; i < 70; i++) {
      reads.add(cache.read(1, i, i + 1, 1));
    }
    assertThat(reads.getFirst().kind()).isEqualTo(LogRead.Kind.HIT);
    assertThat(reads.getLast().kind()).isEqualTo(LogRead.Kind.REFUSED);
    assertThat(cache.figures().refusedReads()).isPositive();
    reads.forEach(LogRead::close);
    pool.parent.setLimitBytes(Budget.UNLIMITED);
  }

  @Test
  void whatIsNotFlushedIsKeptAndAFullCacheRefuses() {
    while (model.put(model.sequence % 10, 0, 1, 10_000)) {
      assertThat(cache.budget().chargedBytes()).isLessThanOrEqualTo(8 << 20);
    }
    long full = model.sequence;
    assertThat(full * 10_000).isGreaterThan(7_000_000);
    assertThatThrownBy(() -> cache.put(full + 1, 99, 0, 1, MemorySegment.ofArray(new byte[10_000])))
        .isInstanceOf(LogCacheFullException.class)
        .hasMessageContaining("not flushed");
    model.syncEvictions();
    model.checkFigures();
    assertThat(cache.figures().batches()).isEqualTo(full);

    model.flush(full / 2);
    for (int i = 0; i < 100; i++) {
      assertThat(model.put(5, 0, 1, 10_000)).isTrue();
    }
    model.syncEvictions();
    model.checkFigures();
  }

  @Test
  void theOldestGoFirst() {
    for (int i = 0; i < 2_000; i++) {
      model.put(i % 3, 0, 1, 10_000);
      model.flush(model.sequence);
    }
    model.syncEvictions();
    long oldest =
        model.streams.values().stream()
            .mapToLong(batches -> batches.getFirst().sequence())
            .min()
            .orElseThrow();
    LogCacheFigures figures = cache.figures();
    assertThat(figures.batches()).isGreaterThan(600);
    assertThat(oldest).isEqualTo(2_000 - figures.batches() + 1);
    assertThat(figures.evictedBytes()).isEqualTo((2_000 - figures.batches()) * 10_000);
    model.checkFigures();
  }

  @Test
  void aStragglerOfAnUnflushedStreamMovesAndIsStillFound() {
    for (int i = 0; i < 400; i++) {
      model.put(i % 40 == 0 ? 1 : 2, 0, 1, 10_000);
    }
    cache.delete(2);
    model.streams.remove(2L);

    assertThat(cache.figures().chunks().movedBytes()).isPositive();
    assertThat(cache.figures().chunks().wasteBytes()).isLessThan(64 << 10);
    model.checkFigures();
    model.checkRead(1, 0, 10, Long.MAX_VALUE);
  }

  @Test
  void truncationInsideABatchIsRefused() {
    model.put(1, 0, 10, 100);
    assertThatThrownBy(() -> cache.truncateFrom(1, 5))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("inside a batch");
    cache.truncateBefore(1, 5);
    assertThat(cache.figures().batches()).isEqualTo(1);
    cache.truncateFrom(1, 0);
    assertThat(cache.figures().batches()).isZero();
    assertThat(cache.figures().unflushedBytes()).isZero();
    assertThat(cache.figures().indexHeapBytes()).isZero();
  }

  @Test
  void badPutsAreRefusedAndLeaveNothing() {
    model.put(1, 0, 10, 100);
    MemorySegment bytes = MemorySegment.ofArray(new byte[10]);
    assertThatThrownBy(() -> cache.put(9, 1, 5, 1, bytes)).hasMessageContaining("before the end");
    assertThatThrownBy(() -> cache.put(0, 2, 5, 1, bytes)).hasMessageContaining("sequence 0");
    assertThatThrownBy(() -> cache.put(9, 2, 5, 0, bytes)).hasMessageContaining("0 offsets");
    assertThatThrownBy(() -> cache.put(9, 2, 5, 1, MemorySegment.NULL))
        .hasMessageContaining("0 bytes");
    assertThatThrownBy(() -> cache.put(9, 2, 5, 1, MemorySegment.ofArray(new byte[3 << 20])))
        .hasMessageContaining("a quarter");
    Arena arena = Arena.ofConfined();
    MemorySegment closed = arena.allocate(100);
    arena.close();
    assertThatThrownBy(() -> cache.put(9, 2, 5, 1, closed))
        .isInstanceOf(IllegalStateException.class);
    model.checkFigures();
  }

  @Test
  void slicesOutliveWhatTheCacheDoes() {
    model.put(1, 0, 1, 1_000);
    LogModel.Batch batch = model.streams.get(1L).getFirst();
    CacheSlice slice;
    CachedBatch found;
    try (LogRead read = cache.read(1, 0, 1, 1)) {
      found = read.batches().getFirst();
      slice = found.bytes().retain();
    }
    cache.delete(1);
    model.put(2, 0, 1, 1_000);
    LogModel.checkBytes(found, batch);
    assertThat(cache.figures().orphanedBytes()).isPositive();
    slice.release();
    assertThat(cache.figures().orphanedBytes()).isZero();
    assertThatThrownBy(slice::release).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aLogCacheGivesWayToOthersAndTakesRoomBack() {
    for (int i = 0; i < 500; i++) {
      model.put(1, 0, 1, 10_000);
    }
    model.flush(model.sequence);
    List<Block> others = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      Block block = pool.pool.tryAllocate(1 << 20, pool.parent);
      assertThat(block).isNotNull();
      others.add(block);
    }
    assertThat(cache.figures().reclaimedBytes()).isPositive();
    assertThat(cache.budget().chargedBytes()).isLessThanOrEqualTo(4 << 20);
    model.syncEvictions();
    model.checkFigures();

    others.forEach(Block::release);
    for (int i = 0; i < 600; i++) {
      assertThat(model.put(1, 0, 1, 10_000)).isTrue();
    }
    assertThat(cache.budget().chargedBytes()).isGreaterThan(5 << 20);
  }

  @Test
  void aPutMakesRoomInThePoolByAskingOthers() {
    List<Block> others = new ArrayList<>();
    for (Block block = pool.pool.tryAllocate(1 << 20, pool.parent);
        block != null;
        block = pool.pool.tryAllocate(1 << 20, pool.parent)) {
      others.add(block);
    }
    Registration registration =
        pool.pool.addReclaimer(
            pool.parent,
            1,
            bytes -> {
              if (others.isEmpty()) {
                return 0;
              }
              others.removeLast().release();
              return 1 << 20;
            });
    for (int i = 0; i < 30; i++) {
      assertThat(model.put(1, 0, 1, 100_000)).isTrue();
    }
    registration.close();
    others.forEach(Block::release);
  }

  @Test
  void aClosedCacheSaysSo() {
    cache.close();
    assertThatThrownBy(() -> cache.read(1, 0, 1, 1)).hasMessageContaining("closed");
    assertThatThrownBy(() -> cache.put(1, 1, 0, 1, MemorySegment.ofArray(new byte[1])))
        .hasMessageContaining("closed");
    cache.delete(1);
  }
}
