package dev.weir.cache.seq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cache.CacheSlice;
import dev.weir.cache.testing.TestPool;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** An allocator whose owner knows every block by what is written in it. */
final class SeqSession implements SeqOwner, AutoCloseable {
  final TestPool pool;
  final SeqAllocator allocator;

  /** Blocks in the order of their allocation, or any other. */
  final List<Held> held = new ArrayList<>();

  private final Map<Long, Held> byPosition = new HashMap<>();
  private final FixedChunks fixed = new FixedChunks();
  private int seeds;

  static final class Held {
    final int bytes;
    final int seed;
    final int fixedChunk;
    long position;

    Held(int bytes, int seed, int fixedChunk, long position) {
      this.fixedChunk = fixedChunk;
      this.bytes = bytes;
      this.seed = seed;
      this.position = position;
    }
  }

  SeqSession(long limitBytes, SeqOptions options) {
    pool = new TestPool(limitBytes);
    allocator = new SeqAllocator(pool.pool, pool.parent, options, this);
  }

  Held allocate(int bytes, int lane) {
    Held held = tryAllocate(bytes, lane);
    assertThat(held).as("room for %d", bytes).isNotNull();
    return held;
  }

  Held tryAllocate(int bytes, int lane) {
    long position = allocator.tryAllocate(bytes, lane);
    if (position == SeqAllocator.NONE) {
      return null;
    }
    Held block = new Held(bytes, ++seeds, fixed.allocate(bytes), position);
    assertThat(byPosition.put(position, block)).as("a position given twice").isNull();
    held.add(block);
    MemorySegment memory = allocator.segment(position);
    assertThat(memory.byteSize()).isEqualTo(bytes);
    memory.fill((byte) block.seed);
    return block;
  }

  void free(Held block) {
    assertThat(held.remove(block)).isTrue();
    freeRemoved(block);
  }

  /** Of one that the caller has taken out of the list. */
  void freeRemoved(Held block) {
    verify(allocator.segment(block.position), block);
    byPosition.remove(block.position);
    fixed.free(block.fixedChunk);
    allocator.free(block.position);
  }

  void freeRandomly(java.util.SplittableRandom random, double share) {
    List<Held> kept = new ArrayList<>();
    for (Held block : held) {
      if (random.nextDouble() < share) {
        freeRemoved(block);
      } else {
        kept.add(block);
      }
    }
    held.clear();
    held.addAll(kept);
  }

  CacheSlice slice(Held block) {
    return allocator.trySlice(block.position, 0, block.bytes, Long.MAX_VALUE);
  }

  static void verify(MemorySegment memory, Held block) {
    for (long at : new long[] {0, block.bytes / 2, block.bytes - 1}) {
      assertThat(memory.get(ValueLayout.JAVA_BYTE, at)).isEqualTo((byte) block.seed);
    }
  }

  void compactAll() {
    while (allocator.compact(1 << 20) > 0) {
      allocator.checkInvariants();
    }
  }

  /** Waste of what the allocator holds, as a share of what is live. */
  double waste() {
    SeqFigures figures = allocator.figures();
    return (double) figures.wasteBytes() / figures.liveBytes();
  }

  /** The same with chunks of a fixed size, for comparison. */
  double fixedWaste() {
    long live = allocator.figures().liveBytes();
    return (double) (fixed.heldBytes() - live) / live;
  }

  @Override
  public void moved(long from, long to, int bytes) {
    Held block = byPosition.remove(from);
    assertThat(block).as("what moves").isNotNull();
    assertThat(block.bytes).isEqualTo(bytes);
    block.position = to;
    assertThat(byPosition.put(to, block)).isNull();
  }

  @Override
  public void close() {
    allocator.checkInvariants();
    held.forEach(block -> verify(allocator.segment(block.position), block));
    allocator.close();
    assertThat(allocator.figures().heldBytes()).isZero();
    pool.close();
  }
}
