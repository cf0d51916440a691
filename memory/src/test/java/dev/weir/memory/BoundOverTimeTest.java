package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.testing.SeededRuns;
import dev.weir.memory.testing.TouchedPages;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The bound after a million operations: stripes, the heap of an event loop, blocks that grow and
 * grants take turns near the limit, and every refusal is judged.
 */
@Timeout(value = 60, unit = TimeUnit.MINUTES)
class BoundOverTimeTest {
  private static final int OPERATIONS = 1_000_000;
  private static final long LIMIT_BYTES = 16 << 20;

  /** The longest that a block lives, in operations. */
  private static final int MAX_LIFETIME = 200_000;

  /** So many operations ask for sizes and lifetimes of one kind; then others come. */
  private static final int PHASE = 40_000;

  @Test
  void nothingWithinItIsRefused() {
    SeededRuns.forSeeds(getClass(), 2, random -> new Session(random).run());
  }

  /** A block, and when it goes. */
  private record Held(Block block, int due, boolean grows) {}

  private static final class Session {
    private final SplittableRandom random;
    private final FakeNativeMemory os = new FakeNativeMemory();
    private final Pool pool =
        Pool.create(
            PoolOptions.withLimit(LIMIT_BYTES).withDecay(Duration.ofDays(1)).withNativeMemory(os));
    private final TouchedPages touched = new TouchedPages();
    private final PriorityQueue<Held> held =
        new PriorityQueue<>((one, other) -> Integer.compare(one.due, other.due));
    private final List<Block> growing = new ArrayList<>();
    private OwnedHeap heap = pool.support().ownedHeap(task -> {});
    private @Nullable Grant grant;
    private long promisedBytes;
    private int operations;
    private int refusals;
    private int grown;

    /** The sizes of the phase: 16 B shifted left by up to so much. */
    private int sizeShift;

    /** Blocks of so many bytes live so many operations, in the mean, that they fill the limit. */
    private long fillFactor;

    Session(SplittableRandom random) {
      this.random = random;
    }

    void run() {
      while (operations < OPERATIONS) {
        if (operations % PHASE == 0) {
          beginPhase();
        }
        operations++;
        Held next = held.peek();
        if (next != null && next.due <= operations) {
          held.remove();
          release(next);
        } else {
          step();
        }
        if (operations % 10_000 == 0) {
          check();
        }
      }
      System.out.printf(
          "%,d operations: %,d refusals, %,d grown, %,d live at the end%n",
          operations, refusals, grown, held.size());
      assertThat(refusals).as("it was near the limit").isGreaterThan(OPERATIONS / 1_000);
      assertThat(grown).isGreaterThan(OPERATIONS / 1_000);
      end();
    }

    private void beginPhase() {
      sizeShift = random.nextInt(6, 19);
      fillFactor = random.nextInt(4, 17);
      heap.close();
      heap = pool.support().ownedHeap(task -> {});
    }

    private void check() {
      assertThat(os.residentBytes()).isLessThanOrEqualTo(LIMIT_BYTES);
      assertThat(pool.residentBytes()).isLessThanOrEqualTo(LIMIT_BYTES);
      assertThat(touched.bytes()).isLessThanOrEqualTo(pool.residentBytes());
      os.takePurges();
      if (operations % 100_000 == 0) {
        pool.checkInvariants();
      }
    }

    private void step() {
      switch (random.nextInt(64)) {
        case 0, 1, 2, 3, 4, 5 -> grow();
        case 6, 7, 8, 9 -> allocateGrowing();
        case 10 -> promise();
        case 11 -> useGrant();
        default -> allocate();
      }
    }

    /** From 16 bytes on; of each doubling about as many. */
    private long randomSize() {
      long doubled = 16L << random.nextInt(sizeShift);
      return doubled + random.nextLong(doubled);
    }

    /** From one operation on; of each doubling about as many, but large ones go sooner. */
    private int due(long bytes) {
      long most = Math.clamp(fillFactor * LIMIT_BYTES / bytes, 2, MAX_LIFETIME);
      return operations + (int) Math.exp(random.nextDouble() * Math.log(most));
    }

    private void allocate() {
      long bytes = randomSize();
      Block block =
          random.nextBoolean()
              ? pool.tryAllocate(bytes)
              : pool.support().tryAllocateBlock(heap, bytes, pool.rootBudget());
      if (block == null) {
        judge(bytes, TouchedPages.neededBytes(bytes));
      } else {
        hold(block, /* grows= */ false);
      }
    }

    private void allocateGrowing() {
      long bytes = randomSize();
      try {
        Block block = pool.allocateGrowing(bytes, pool.rootBudget());
        hold(block, /* grows= */ bytes > 65_536);
      } catch (BudgetExceededError refused) {
        judge(bytes, TouchedPages.neededBytes(bytes));
      }
    }

    private void grow() {
      if (growing.isEmpty()) {
        return;
      }
      Block block = growing.get(random.nextInt(growing.size()));
      long address = block.address();
      long before = block.size();
      long wanted = before + 1 + random.nextLong(before);
      if (block.tryGrow(wanted)) {
        grown++;
        touched.remove(address, before);
        touched.add(block);
        os.touch(block.address(), block.size());
      } else {
        judge(wanted, TouchedPages.neededBytes(wanted) - before);
      }
    }

    private void promise() {
      Grant old = grant;
      if (old != null) {
        old.close();
        grant = null;
        promisedBytes = 0;
      } else {
        grant = pool.tryGrant(65_537 + random.nextLong(LIMIT_BYTES / 8), pool.rootBudget());
        promisedBytes = grant == null ? 0 : grant.remainingBytes();
      }
    }

    private void useGrant() {
      Grant open = grant;
      if (open != null && open.remainingBytes() > 0) {
        Block block = open.allocate(1 + random.nextLong(open.remainingBytes()));
        promisedBytes = open.remainingBytes();
        hold(block, /* grows= */ false);
      }
    }

    private void hold(Block block, boolean grows) {
      touched.add(block);
      os.touch(block.address(), block.size());
      held.add(new Held(block, due(block.size()), grows));
      if (grows) {
        growing.add(block);
      }
    }

    private void release(Held old) {
      touched.remove(old.block);
      if (old.grows) {
        growing.remove(old.block);
      }
      old.block.release();
    }

    /** So many bytes were refused, which needed so many more bytes of pages. */
    private void judge(long bytes, long neededBytes) {
      refusals++;
      assertThat(touched.bytes() + promisedBytes + neededBytes)
          .as(() ->
              "operation %,d: refused %,d bytes%n%s".formatted(operations, bytes, pool.snapshot()))
          .isGreaterThan(LIMIT_BYTES - pool.slackBytes());
    }

    private void end() {
      if (grant != null) {
        grant.close();
      }
      held.forEach(each -> each.block.release());
      heap.close();
      BoundSession.end(pool, os);
    }
  }
}
