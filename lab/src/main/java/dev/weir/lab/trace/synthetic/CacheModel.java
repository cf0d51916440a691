package dev.weir.lab.trace.synthetic;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * A cache of two parts, one that evicts what came first, one that evicts at random. A block goes to
 * either part as often as its capacity suggests; what has to go for it goes first. Not thread-safe.
 */
final class CacheModel {
  private final long fifoCapacityBytes;
  private final long randomCapacityBytes;
  private final SeededRandom random;
  private final ArrayDeque<Integer> fifo = new ArrayDeque<>();
  private final List<Integer> unordered = new ArrayList<>();
  private long fifoBytes;
  private long randomBytes;

  CacheModel(long fifoCapacityBytes, long randomCapacityBytes, SeededRandom random) {
    this.fifoCapacityBytes = fifoCapacityBytes;
    this.randomCapacityBytes = randomCapacityBytes;
    this.random = random;
  }

  long capacityBytes() {
    return fifoCapacityBytes + randomCapacityBytes;
  }

  /** Adds blocks of these sizes until {@code bytes} of them have been added. */
  Act turnOver(Sizes sizes, long bytes) {
    long[] left = {bytes};
    return blocks -> {
      if (left[0] <= 0) {
        return false;
      }
      int size = sizes.next(random);
      left[0] -= size;
      add(size, blocks);
      return true;
    };
  }

  /** Adds so many blocks of these sizes. */
  Act add(Sizes sizes, long count) {
    return Act.repeat(count, blocks -> add(sizes.next(random), blocks));
  }

  private void add(int size, Blocks blocks) throws IOException {
    if (random.below(capacityBytes()) < fifoCapacityBytes) {
      addToFifo(size, blocks);
    } else {
      addToUnordered(size, blocks);
    }
  }

  /** Evicts blocks at random, of both parts alike, until {@code bytes} are left, or one block. */
  Act dropTo(long bytes) {
    return Act.once(blocks -> {
      unordered.addAll(fifo);
      fifo.clear();
      randomBytes += fifoBytes;
      fifoBytes = 0;
      while (randomBytes > bytes && unordered.size() > 1) {
        evictAtRandom(blocks);
      }
    });
  }

  private void addToFifo(int size, Blocks blocks) throws IOException {
    while (fifoBytes + size > fifoCapacityBytes && !fifo.isEmpty()) {
      fifoBytes -= blocks.release(fifo.remove());
    }
    fifo.add(blocks.allocate(size));
    fifoBytes += size;
  }

  private void addToUnordered(int size, Blocks blocks) throws IOException {
    while (randomBytes + size > randomCapacityBytes && !unordered.isEmpty()) {
      evictAtRandom(blocks);
    }
    unordered.add(blocks.allocate(size));
    randomBytes += size;
  }

  private void evictAtRandom(Blocks blocks) throws IOException {
    int victim = (int) random.below(unordered.size());
    int last = unordered.removeLast();
    int slot = victim == unordered.size() ? last : unordered.set(victim, last);
    randomBytes -= blocks.release(slot);
  }
}
