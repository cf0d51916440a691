package dev.weir.netty.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.netty.flow.AdmissionRefusedException.Reason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ByteCountAdmissionTest {
  private static final Duration LONG = Duration.ofMinutes(10);

  private final PooledByteBufAllocator allocator = new PooledByteBufAllocator(true);
  private final ByteCountAdmission admission = new ByteCountAdmission(100, allocator);

  @AfterEach
  void nothingIsHeld() {
    assertThat(admission.availableBytes()).isEqualTo(100);
    assertThat(allocator.pinnedDirectMemory()).isZero();
  }

  @Test
  void admitsAtOnceWhatFits() {
    CompletableFuture<Permit> first = admit(60);
    CompletableFuture<Permit> second = admit(40);
    assertThat(first).isCompleted();
    assertThat(second).isCompleted();
    assertThat(admission.availableBytes()).isZero();
    first.join().close();
    second.join().close();
  }

  @Test
  void servesInOrderThoughALaterRequestWouldFit() {
    Permit running = admit(60).join();
    CompletableFuture<Permit> large = admit(80);
    CompletableFuture<Permit> small = admit(10);
    assertThat(large).isNotDone();
    assertThat(small).isNotDone();

    running.close();
    assertThat(large).isCompleted();
    assertThat(small).isCompleted();
    large.join().close();
    small.join().close();
  }

  @Test
  void aBufferCarriesItsShareUntilItsLastViewIsReleased() {
    Permit permit = admit(100).join();
    ByteBuf buffer = permit.allocate(70);
    permit.close();
    permit.close();
    assertThat(admission.availableBytes()).isEqualTo(30);

    buffer.writeLong(42);
    ByteBuf view = buffer.readRetainedSlice(8);
    buffer.release();
    assertThat(admission.availableBytes()).isEqualTo(30);
    assertThat(view.readLong()).isEqualTo(42);
    view.release();
  }

  @Test
  void aBufferHasWhatWasAskedForAndNoMore() {
    try (Permit permit = admit(64).join()) {
      assertThatThrownBy(() -> permit.allocate(65)).isInstanceOf(IllegalArgumentException.class);
      ByteBuf buffer = permit.allocate(64);
      assertThat(buffer.capacity()).isEqualTo(64);
      assertThat(buffer.readableBytes()).isZero();
      assertThat(buffer.nioBufferCount()).isEqualTo(1);
      buffer.writeZero(64);
      assertThatThrownBy(() -> buffer.writeByte(1)).isInstanceOf(IndexOutOfBoundsException.class);
      buffer.release();
    }
  }

  @Test
  void refusesWhatCanNeverFit() {
    assertThat(refusal(admit(101))).isEqualTo(Reason.ABOVE_LIMIT);
  }

  @Test
  void refusesAtTheDeadlineAndLetsTheNextIn() {
    Permit running = admit(60).join();
    CompletableFuture<Permit> late = admission.admit(80, Duration.ofNanos(1)).toCompletableFuture();
    CompletableFuture<Permit> next = admit(40);
    assertThat(refusal(late)).isEqualTo(Reason.DEADLINE);
    next.join().close();
    running.close();
  }

  @Test
  void aCancelledRequestLeavesTheQueue() {
    Permit running = admit(60).join();
    CompletableFuture<Permit> cancelled = admit(80);
    CompletableFuture<Permit> next = admit(40);
    assertThat(cancelled.cancel(false)).isTrue();
    assertThat(next).isCompleted();
    next.join().close();
    running.close();
  }

  /** As one does who has no Java heap for a cancellation. */
  @Test
  void aRequestThatIsCompletedWithNullLeavesTheQueue() {
    Permit running = admit(60).join();
    CompletableFuture<Permit> givenUp = admit(80);
    CompletableFuture<Permit> next = admit(40);
    assertThat(givenUp.complete(null)).isTrue();
    assertThat(next).isCompleted();
    next.join().close();
    running.close();
  }

  /** Whoever gives up may come too late, and need not know for what. */
  @Test
  void whatIsGivenUpHoldsNothingHoweverItHasEnded() {
    CompletableFuture<Permit> granted = admit(60);
    CompletableFuture<Permit> waiting = admit(60);
    CompletableFuture<Permit> refused = admit(101);
    CompletableFuture<Permit> refusedWithoutHeap = CompletableFuture.completedFuture(null);

    for (CompletableFuture<Permit> asked : List.of(refusedWithoutHeap, refused, waiting, granted)) {
      Admission.giveUp(asked);
      Admission.giveUp(asked);
    }

    assertThat(admit(100).join()).satisfies(Permit::close);
  }

  @Test
  void requestsThatHaveGoneDoNotFillTheQueue() {
    Permit running = admit(60).join();
    CompletableFuture<Permit> large = admit(80);
    for (int i = 0; i < 100_000; i++) {
      assertThat(admit(10).cancel(false)).isTrue();
    }
    CompletableFuture<Permit> last = admit(10);
    assertThat(last).isNotDone();
    assertThat(admission.queuedCount()).isLessThan(3_000);

    running.close();
    large.join().close();
    last.join().close();
    assertThat(admission.queuedCount()).isZero();
  }

  @Test
  void noMoreThanTheQueueHoldsWait() {
    Permit running = admit(60).join();
    List<CompletableFuture<Permit>> waiting = new ArrayList<>();
    for (int i = 0; i < 65_536; i++) {
      waiting.add(admit(80));
    }
    assertThat(refusal(admit(80))).isEqualTo(Reason.QUEUE_FULL);
    assertThat(waiting.get(7).cancel(false)).isTrue();
    CompletableFuture<Permit> next = admit(80);
    assertThat(next).isNotDone();
    assertThat(refusal(admit(80))).isEqualTo(Reason.QUEUE_FULL);

    waiting.add(next);
    waiting.forEach(request -> request.cancel(false));
    running.close();
    assertThat(admission.queuedCount()).isZero();
  }

  @Test
  void aDeadlineMayBeAnyDuration() {
    Permit running = admit(60).join();
    CompletableFuture<Permit> patient =
        admission.admit(80, Duration.ofSeconds(Long.MAX_VALUE)).toCompletableFuture();
    assertThat(patient).isNotDone();
    CompletableFuture<Permit> late =
        admission.admit(80, Duration.ofSeconds(Long.MIN_VALUE)).toCompletableFuture();
    assertThat(refusal(late)).isEqualTo(Reason.DEADLINE);
    running.close();
    patient.join().close();
  }

  @Test
  void aPermitIsReturnedExactlyOnceWhateverThreadsDo() throws InterruptedException {
    SplittableRandom seeds = new SplittableRandom(7);
    AtomicLong heldBytes = new AtomicLong();
    AtomicLong worstBytes = new AtomicLong();
    CountDownLatch done = new CountDownLatch(4);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      SplittableRandom random = seeds.split();
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                for (int round = 0; round < 2_000; round++) {
                  takeAndReturn(random, heldBytes, worstBytes);
                }
                done.countDown();
              }));
    }
    done.await();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(worstBytes.get()).isBetween(1L, 100L);
    assertThat(heldBytes.get()).isZero();
  }

  private void takeAndReturn(SplittableRandom random, AtomicLong heldBytes, AtomicLong worstBytes) {
    int bytes = 1 + random.nextInt(100);
    CompletableFuture<Permit> request = admit(bytes);
    if (random.nextInt(4) == 0 && request.cancel(false)) {
      return;
    }
    Permit permit = request.join();
    worstBytes.accumulateAndGet(heldBytes.addAndGet(bytes), Math::max);
    if (random.nextBoolean()) {
      ByteBuf buffer = permit.allocate(bytes);
      heldBytes.addAndGet(-bytes);
      buffer.release();
    } else {
      heldBytes.addAndGet(-bytes);
    }
    permit.close();
  }

  private CompletableFuture<Permit> admit(long bytes) {
    return admission.admit(bytes, LONG).toCompletableFuture();
  }

  private static Reason refusal(CompletableFuture<Permit> request) {
    try {
      request.get();
      throw new AssertionError("admitted");
    } catch (ExecutionException e) {
      return ((AdmissionRefusedException) e.getCause()).reason();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Wherever in the call the stack ends. */
  @Test
  void aCallThatEndsInAnErrorKeepsNobodyElseFromBeingServed() {
    for (int frames = 0; frames < 100; frames++) {
      ByteCountAdmission served = new ByteCountAdmission(100, allocator);
      descend(new int[] {frames}, () -> served.admit(40, LONG));

      assertThat(served.admit(10, LONG).toCompletableFuture())
          .as("behind one that had %d frames left", frames)
          .isCompleted();
    }
  }

  /** Calls {@code call} from the last frame but so many. */
  @SuppressWarnings("InfiniteRecursion") // to the end of the stack
  private static void descend(int[] left, Runnable call) {
    try {
      descend(left, call);
    } catch (StackOverflowError e) {
      if (left[0]-- == 0) {
        try {
          call.run();
        } catch (StackOverflowError endedInIt) {
          return;
        }
        return;
      }
      throw e;
    }
  }
}
