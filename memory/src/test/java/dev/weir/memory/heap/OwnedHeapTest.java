package dev.weir.memory.heap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.PageHeapEvents;
import dev.weir.memory.testing.PageHeaps;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OwnedHeapTest {
  private static final long LIMIT_BYTES = 16 << 20;

  private final FakeNativeMemory os = new FakeNativeMemory();
  private final PageHeap pages = PageHeaps.over(os, LIMIT_BYTES, new Silence());
  private final OwnedHeap heap =
      new OwnedHeap(
          pages, task -> {}, new SharedHeap(pages, 1, InsidePurge::run), InsidePurge::run);

  private record Place(Slab slab, int number) {}

  private Place allocate() {
    Place place =
        heap.tryAllocate(
            SizeClasses.classOf(65_536), (home, number, found) -> new Place((Slab) home, number));
    assertThat(place).isNotNull();
    return place;
  }

  @Test
  void whatWasLeftAtTheNextSlotIsSeenBeforeItIsTaken() {
    int sizeClass = SizeClasses.classOf(65_536);
    assertThat(heap.peekCached(sizeClass)).as("nothing is committed yet").isNull();
    Place place = allocate();
    place.slab().leave(place.number(), "left");
    place.slab().free(place.number());

    assertThat(heap.peekCached(sizeClass)).isEqualTo("left");
    assertThat(heap.peekCached(sizeClass)).as("a look takes nothing").isEqualTo("left");
    assertThat(heap.tryTakePeeked(sizeClass, null)).isTrue();
    assertThat(heap.peekCached(sizeClass)).as("nothing was left at another").isNull();
    place.slab().free(place.number());
    assertThat(heap.peekCached(sizeClass)).isEqualTo("left");
    heap.close();
    assertThat(heap.peekCached(sizeClass)).as("a closed heap has no slabs").isNull();
    assertThat(pages.totals().liveBytes()).isZero();
    pages.checkInvariants();
  }

  @Test
  void theRarestSamplesAreDrawnToo() {
    int taken = 0;
    for (int i = 0; i < 1_000; i++) {
      taken += heap.drawSample(Integer.MAX_VALUE) ? 1 : 0;
    }
    assertThat(taken).isLessThan(10);
    heap.close();
  }

  private static final class Silence implements PageHeapEvents {
    @Override
    public void roomFreed() {}

    @Override
    public void bandLeft() {}

    @Override
    public void liveGrown() {}

    @Override
    public void dirtyHigh() {}
  }

  /**
   * Where a slab goes to another thread, whoever still holds a released object holds a dead one.
   */
  @Test
  void whatWasLeftAtSlotsIsForgottenByAnotherHeap() {
    OwnedHeap other =
        new OwnedHeap(
            pages, task -> {}, new SharedHeap(pages, 1, InsidePurge::run), InsidePurge::run);
    List<Object> found = new ArrayList<>();
    for (OwnedHeap taker : List.of(heap, heap, other)) {
      Place place =
          taker.tryAllocate(
              0,
              (home, number, left) -> {
                found.add(left == null ? "nothing" : left);
                home.leave(number, "an object");
                return new Place((Slab) home, number);
              });
      assertThat(place).isNotNull();
      place.slab().free(place.number());
      taker.trim();
    }
    assertThat(found).containsExactly("nothing", "an object", "nothing");
  }

  @ParameterizedTest
  @ValueSource(classes = {OutOfMemoryError.class, RejectedExecutionException.class})
  void anOwnerThatCouldNotBeAskedIsAskedAgain(Class<? extends Throwable> failure) throws Exception {
    Throwable thrown = failure.getConstructor(String.class).newInstance("planted");
    Queue<Runnable> tasks = new ArrayDeque<>();
    int[] calls = new int[1];
    OwnedHeap asked =
        new OwnedHeap(
            pages,
            task -> {
              if (calls[0]++ == 0) {
                OwnedHeapTest.<RuntimeException>sneak(thrown);
              }
              tasks.add(task);
            },
            new SharedHeap(pages, 1, InsidePurge::run),
            InsidePurge::run);
    closeElsewhere(asked);
    assertThat(tasks).isEmpty();
    closeElsewhere(asked);
    assertThat(tasks).hasSize(1);
    closeElsewhere(asked);
    assertThat(tasks).as("one task at a time").hasSize(1);
    assertThat(asked.isClosed()).isFalse();
    tasks.remove().run();
    assertThat(asked.isClosed()).isTrue();
  }

  private static void closeElsewhere(OwnedHeap heap) throws InterruptedException {
    Thread other = Thread.ofPlatform().start(heap::requestClose);
    other.join();
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> void sneak(Throwable thrown) throws E {
    throw (E) thrown;
  }
}
