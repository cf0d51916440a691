package dev.weir.memory.heap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.sync.SpinLock;
import dev.weir.memory.testing.PageHeaps;
import dev.weir.memory.testing.Waits;
import dev.weir.memory.testing.Workers;
import java.lang.reflect.Field;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What waits while somebody is at work at a stripe. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class SharedHeapWaitsTest {
  private static final int SIZE_CLASS = SizeClasses.classOf(65_536);

  private final PageHeap pages = PageHeaps.over(new FakeNativeMemory(), 4 << 20);
  private final SharedHeap heap = new SharedHeap(pages, 1, InsidePurge::run);

  /** Whoever trims, and the purger, wait for the stripe that it holds. */
  @Test
  void aVirtualThreadThatHoldsAStripeKeepsItsCarrier() throws Exception {
    SpinLock pageLock = lockOf(pages);
    AtomicReference<Thread> allocating = new AtomicReference<>();
    Workers workers = new Workers();
    pageLock.lock();
    try {
      workers.virtual(() -> {
        allocating.set(Thread.currentThread());
        assertThat(heap.tryAllocate(SIZE_CLASS, Slot.FACTORY)).isNotNull();
      });
      Waits.assertKeepsItsCarrier(allocating);
    } finally {
      pageLock.unlock();
    }
    workers.join();
  }

  /** The purger serves other pools, and comes again. */
  @Test
  void aSurveyLeavesOutAStripeWhoseHolderDoesNotComeToAnEnd() throws InterruptedException {
    SharedHeap.Stripe stripe = new SharedHeap.Stripe(pages);
    Slab slab = new Slab(stripe, SIZE_CLASS);
    whileHeld(stripe, () -> HeapTrimmer.unlink(stripe, List.of(slab), /* agedOnly= */ false));
  }

  /** A trim at the limit, on an event loop perhaps. */
  @Test
  void aTrimLeavesItOutToo() throws Exception {
    whileHeld(stripeOf(heap), heap::trim);
  }

  private static void whileHeld(SharedHeap.Stripe stripe, Runnable work)
      throws InterruptedException {
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(1);
    Workers workers = new Workers();
    workers.platform(() -> {
      assertThat(stripe.lock.tryLock()).isTrue();
      held.countDown();
      done.await();
      stripe.lock.unlock();
    });
    held.await();
    workers.platform(() -> {
      work.run();
      done.countDown();
    });
    workers.join();
  }

  private static SpinLock lockOf(PageHeap pages) throws ReflectiveOperationException {
    Field field = PageHeap.class.getDeclaredField("lock");
    field.setAccessible(true);
    return (SpinLock) field.get(pages);
  }

  private static SharedHeap.Stripe stripeOf(SharedHeap heap) throws ReflectiveOperationException {
    Field field = SharedHeap.class.getDeclaredField("stripes");
    field.setAccessible(true);
    return ((SharedHeap.Stripe[]) field.get(heap))[0];
  }
}
