package dev.weir.memory.array;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.array.ArraysUnderTest.Slot;
import dev.weir.memory.testing.SeededRuns;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who gets which slot: within a heap, across threads, and after a thread has ended. */
@Timeout(120)
class ArrayHeapTest {
  private static final int MIB = 1 << 20;

  private final ArraysUnderTest arrays = new ArraysUnderTest(512L * MIB);

  @Test
  void anotherThreadsFreeComesBackToTheOwner() throws InterruptedException {
    ArrayHeap heap = arrays.pool.ownedHeap();
    List<Slot> slots = new ArrayList<>();
    for (int i = 0; i < 2 * 128; i++) {
      slots.add(arrays.take(heap, 1_000));
    }
    long held = arrays.pool.heldBytes();
    Thread other = Thread.ofPlatform().start(() -> slots.forEach(Slot::free));
    other.join();
    assertThat(arrays.pool.liveBytes()).isZero();

    Set<Slot> again = new HashSet<>();
    for (int i = 0; i < 2 * 128; i++) {
      again.add(arrays.take(heap, 1_000));
    }
    assertThat(again).containsExactlyInAnyOrderElementsOf(slots);
    assertThat(arrays.pool.heldBytes()).isEqualTo(held);
    again.forEach(Slot::free);
    arrays.pool.checkInvariants();
  }

  @Test
  void theNextThreadTakesTheHeapOfOneThatHasEnded() throws Exception {
    try (ExecutorService ended = Executors.newSingleThreadExecutor();
        ExecutorService next = Executors.newSingleThreadExecutor()) {
      Slot live =
          ended
              .submit(() -> {
                ArrayHeap heap = arrays.pool.ownedHeap();
                Slot slot = arrays.take(heap, 1_000);
                arrays.take(heap, 50_000).free();
                arrays.pool.abandon(heap);
                return slot;
              })
              .get();
      arrays.pool.trim();
      assertThat(arrays.pool.heldBytes()).isEqualTo(128 << 10);

      Slot second = next.submit(() -> arrays.take(arrays.pool.ownedHeap(), 1_000)).get();
      assertThat(second.home()).isSameAs(live.home());
      live.free();
      second.free();
    }
    arrays.pool.trim();
    assertThat(arrays.pool.heldBytes()).isZero();
  }

  @Test
  void randomUseKeepsEverySlotsContents() {
    SeededRuns.forSeeds(getClass(), 8, this::randomUse);
  }

  private void randomUse(SplittableRandom random) {
    ArraysUnderTest own = new ArraysUnderTest(8 * MIB);
    List<@Nullable ArrayHeap> heaps = new ArrayList<>();
    heaps.add(null);
    heaps.add(own.pool.ownedHeap());
    heaps.add(own.pool.ownedHeap());
    List<Slot> slots = new ArrayList<>();
    List<Integer> contents = new ArrayList<>();
    long live = 0;
    for (int step = 0; step < 20_000; step++) {
      if (random.nextInt(100) < 50 + (step / 2_000 % 2) * 4) {
        int bytes = 1 + random.nextInt(1 << random.nextInt(20));
        Slot slot = own.tryTake(heaps.get(random.nextInt(heaps.size())), bytes);
        if (slot != null) {
          int number = random.nextInt();
          slot.fill(number);
          slots.add(slot);
          contents.add(number);
          live += slot.home().slotBytes();
        }
      } else if (!slots.isEmpty()) {
        int at = random.nextInt(slots.size());
        Slot slot = slots.set(at, slots.getLast());
        int number = contents.set(at, contents.getLast());
        slots.removeLast();
        contents.removeLast();
        assertThat(slot.isFilledWith(number)).isTrue();
        live -= slot.home().slotBytes();
        slot.free();
      }
      if (step % 1_000 == 0) {
        assertThat(own.pool.liveBytes()).isEqualTo(live);
        assertThat(own.pool.heldBytes()).isBetween(live, 8L * MIB);
        own.pool.checkInvariants();
        if (random.nextBoolean()) {
          own.pool.dropIdle(System.nanoTime());
        } else {
          own.pool.trim();
        }
      }
    }
    slots.forEach(Slot::free);
    own.pool.trim();
    assertThat(own.pool.heldBytes()).isZero();
    own.pool.checkInvariants();
  }

  /** Owners and plain threads hand slots to each other, while others trim and threads change. */
  @Test
  void manyThreadsHandSlotsOn() throws ExecutionException, InterruptedException {
    int rounds = SeededRuns.isLong() ? 200 : 4;
    BlockingQueue<Marked> onTheirWay = new ArrayBlockingQueue<>(500);
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      for (int round = 0; round < rounds; round++) {
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          boolean owns = i % 2 == 0;
          int seed = 31 * round + i;
          all.add(threads.submit(() -> handOn(owns, new SplittableRandom(seed), onTheirWay)));
        }
        for (int i = 0; i < 50; i++) {
          arrays.pool.trim();
          arrays.pool.dropIdle(System.nanoTime());
        }
        for (Future<?> each : all) {
          each.get();
        }
      }
    }
    onTheirWay.forEach(Marked::free);
    assertThat(arrays.pool.liveBytes()).isZero();
    arrays.pool.checkInvariants();
    arrays.pool.trim();
    assertThat(arrays.pool.heldBytes()).isZero();
  }

  /** A slot whose first bytes nobody else may write. */
  private record Marked(Slot slot, int mark) {
    static Marked of(Slot slot, int mark) {
      bytes(slot).putInt(0, mark);
      return new Marked(slot, mark);
    }

    private static ByteBuffer bytes(Slot slot) {
      return ByteBuffer.wrap(slot.home().array(), slot.home().offset(slot.number()), 64).slice();
    }

    void free() {
      assertThat(bytes(slot).getInt(0)).isEqualTo(mark);
      slot.free();
    }
  }

  private void handOn(boolean owns, SplittableRandom random, BlockingQueue<Marked> onTheirWay) {
    ArrayHeap heap = owns ? arrays.pool.ownedHeap() : null;
    for (int i = 0; i < 30_000; i++) {
      Slot slot = arrays.take(heap, 1 + random.nextInt(1 << random.nextInt(16)));
      Marked marked = Marked.of(slot, random.nextInt());
      if (random.nextInt(4) == 0 || !onTheirWay.offer(marked)) {
        marked.free();
      }
      Marked other = random.nextBoolean() ? onTheirWay.poll() : null;
      if (other != null) {
        other.free();
      }
    }
    if (heap != null) {
      arrays.pool.abandon(heap);
    }
  }
}
