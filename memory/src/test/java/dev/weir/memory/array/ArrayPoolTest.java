package dev.weir.memory.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.memory.array.ArraysUnderTest.Slot;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a pool of arrays holds, keeps and refuses. */
class ArrayPoolTest {
  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;

  private final ArraysUnderTest arrays = new ArraysUnderTest(64 * MIB);
  private final ArrayPool pool = arrays.pool;
  private final ArrayHeap heap = pool.ownedHeap();

  @AfterEach
  void nothingIsLeft() {
    pool.checkInvariants();
    assertThat(pool.liveBytes()).isZero();
    pool.trim();
    assertThat(pool.heldBytes()).isZero();
  }

  @Test
  void slotsShareAnArray() {
    Slot first = arrays.take(heap, 1_000);
    Slot second = arrays.take(heap, 1_000);

    assertThat(second.home().array()).isSameAs(first.home().array());
    assertThat(second.number()).isNotEqualTo(first.number());
    assertThat(pool.liveBytes()).isEqualTo(2 * KIB);
    assertThat(pool.heldBytes()).isEqualTo(128 * KIB);
    first.free();
    second.free();
  }

  @Test
  void aBufferOf64KiBHasAnArrayOfItsOwnWhichIsUsedAgain() {
    Slot slot = arrays.take(heap, 64 * KIB);
    byte[] array = slot.home().array();
    assertThat(array).hasSize(64 * KIB);
    slot.free();

    Slot next = arrays.take(heap, 60 * KIB + 1);
    assertThat(next.home().array()).isSameAs(array);
    next.free();
  }

  @Test
  void largerArraysAreKeptByClassUpToOneMiB() {
    Slot slot = arrays.take(heap, MIB);
    byte[] array = slot.home().array();
    slot.free();

    Slot next = arrays.take(/* heap= */ null, MIB - 1);
    assertThat(next.home().array()).isSameAs(array);
    Slot longer = arrays.take(heap, MIB + 1);
    assertThat(longer.home().array()).hasSize(MIB + 1);
    assertThat(pool.liveBytes()).isEqualTo(2 * MIB + 1);
    longer.free();
    assertThat(pool.heldBytes()).isEqualTo(MIB);
    next.free();
  }

  @Test
  void theLimitCountsWhatIsFreeInArraysInUse() {
    Slot slot = arrays.take(heap, 1_000);
    arrays.limitBytes.set(132 * KIB);

    assertThat(arrays.tryTake(heap, 4 * KIB + 1)).isNull();
    Slot exact = arrays.take(heap, 4 * KIB);
    assertThat(exact.home().array()).as("no room for an array of several").hasSize(4 * KIB);
    assertThat(pool.heldBytes()).isEqualTo(132 * KIB);
    List<Slot> free = new ArrayList<>();
    for (int i = 0; i < 127; i++) {
      free.add(arrays.take(heap, 1_000));
    }
    assertThat(arrays.tryTake(heap, 1_000)).isNull();
    assertThat(arrays.tryTake(heap, 100_000)).isNull();
    assertThat(arrays.tryTake(heap, Integer.MAX_VALUE)).isNull();

    exact.free();
    assertThat(pool.heldBytes()).isEqualTo(128 * KIB);
    free.forEach(Slot::free);
    slot.free();
  }

  @Test
  void emptyArraysOfEveryHeapGoBeforeARefusal() {
    ArrayHeap other = pool.ownedHeap();
    arrays.take(heap, 30 * KIB).free();
    arrays.take(other, 40 * KIB).free();
    arrays.take(/* heap= */ null, 50 * KIB).free();
    arrays.take(heap, MIB).free();
    Slot live = arrays.take(heap, 1_000);
    assertThat(pool.heldBytes()).isGreaterThan(MIB + 120 * KIB);

    arrays.limitBytes.set(MIB);
    Slot large = arrays.take(heap, MIB - 128 * KIB);
    assertThat(pool.heldBytes()).isLessThanOrEqualTo(MIB);
    large.free();
    live.free();
  }

  @Test
  void theArrayThatWasKeptLongestGoesFirst() {
    arrays.limitBytes.set(3 * MIB);
    Slot old = arrays.take(heap, MIB);
    Slot young = arrays.take(heap, MIB);
    byte[] kept = young.home().array();
    old.free();
    young.free();

    Slot other = arrays.take(heap, MIB + 1);
    assertThat(pool.heldBytes()).isEqualTo(2 * MIB + 1);
    Slot next = arrays.take(heap, MIB);
    assertThat(next.home().array()).isSameAs(kept);
    other.free();
    next.free();
  }

  @Test
  void fewEmptyArraysAreKept() {
    List<Slot> slots = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      slots.add(arrays.take(heap, MIB));
    }
    slots.forEach(Slot::free);

    assertThat(pool.heldBytes()).isLessThanOrEqualTo(2 * MIB);
  }

  @Test
  void whatLiesIdleGoesAfterADecay() {
    List<Slot> slots = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      slots.add(arrays.take(heap, 10_000));
    }
    slots.forEach(Slot::free);
    long now = System.nanoTime();

    pool.dropIdle(now);
    arrays.take(heap, 10_000).free();
    pool.dropIdle(System.nanoTime());
    assertThat(pool.heldBytes()).as("in use between two looks").isPositive();
    pool.dropIdle(now);
    assertThat(pool.heldBytes()).as("kept since then").isPositive();
    pool.dropIdle(System.nanoTime());
    assertThat(pool.heldBytes()).isZero();
    assertThat(arrays.begun).isEqualTo(1);
  }

  @Test
  void aHeapThatOthersHaveEmptiedIsFoundIdle() throws InterruptedException {
    Slot slot = arrays.take(heap, 1_000);
    pool.dropIdle(System.nanoTime());
    pool.dropIdle(System.nanoTime());
    Thread other = Thread.ofPlatform().start(slot::free);
    other.join();
    assertThat(pool.liveBytes()).isZero();

    pool.dropIdle(System.nanoTime());
    pool.dropIdle(System.nanoTime());
    assertThat(pool.heldBytes()).isZero();
  }

  @Test
  void anArrayThatCannotBeMadeIsNotCounted() {
    arrays.limitBytes.set(Long.MAX_VALUE);

    assertThatExceptionOfType(OutOfMemoryError.class)
        .isThrownBy(() -> arrays.tryTake(heap, Integer.MAX_VALUE));

    assertThat(pool.heldBytes()).isZero();
  }

  @Test
  void aClosedPoolKeepsNothingThatIsGivenBack() {
    Slot slot = arrays.take(heap, 1_000);
    Slot large = arrays.take(heap, MIB);
    pool.close();
    assertThat(pool.heldBytes()).isEqualTo(MIB + 128 * KIB);

    large.free();
    assertThat(pool.heldBytes()).isEqualTo(128 * KIB);
    slot.free();
  }

  @Test
  void theObjectAtASlotLivesAsLongAsItsArray() {
    ArrayFactory<Object> keeping =
        (home, number, found) -> {
          Object object = found == null ? new Slot(home, number) : found;
          home.leave(number, object);
          return object;
        };
    Object first = pool.tryAllocate(heap, 1_000, keeping);
    ((Slot) first).free();

    Object second = pool.tryAllocate(heap, 1_000, keeping);
    assertThat(second).isSameAs(first);
    ((Slot) second).free();
  }
}
