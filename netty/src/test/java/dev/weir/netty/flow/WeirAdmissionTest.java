package dev.weir.netty.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import dev.weir.netty.WeirAllocator;
import dev.weir.netty.flow.AdmissionRefusedException.Reason;
import io.netty.buffer.ByteBuf;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class WeirAdmissionTest {
  private static final long MIB = 1 << 20;
  private static final Duration LONG = Duration.ofMinutes(10);

  private final Pool pool = Pool.create(PoolOptions.withLimit(16 * MIB));
  private final WeirAllocator allocator = new WeirAllocator(pool);
  private final WeirAdmission admission = new WeirAdmission(allocator);

  @AfterEach
  void nothingIsHeld() {
    assertThat(pool.liveBlockBytes()).isZero();
    if (pool.isClosed()) {
      return;
    }
    // All that the pool can promise can be promised again.
    admit(13 * MIB).orTimeout(60, TimeUnit.SECONDS).join().close();
    pool.checkInvariants();
    pool.close();
  }

  @Test
  void aBufferLiesInTheGrantedPages() {
    Permit permit = admit(20_000).join();
    ByteBuf buffer = permit.allocate(20_000);
    permit.close();
    assertThat(buffer.alloc()).isSameAs(allocator);
    assertThat(buffer.capacity()).isEqualTo(20_000);
    assertThat(buffer.maxCapacity()).isEqualTo(20_000);
    assertThat(buffer.readableBytes()).isZero();
    assertThat(pool.liveBlockBytes()).isEqualTo(20_480);
    buffer.writeZero(20_000);
    assertThat(buffer.release()).isTrue();
  }

  @Test
  void whatWasAdmittedIsThereThoughEverythingElseIsTaken() {
    Permit permit = admit(4 * MIB).join();
    List<ByteBuf> others = new ArrayList<>();
    try {
      while (true) {
        others.add(allocator.directBuffer(1 << 20));
      }
    } catch (OutOfMemoryError full) {
      ByteBuf body = permit.allocate((int) (4 * MIB));
      body.writeZero(body.capacity());
      body.release();
    }
    permit.close();
    others.forEach(ByteBuf::release);
    assertThat(others).hasSizeGreaterThan(8);
  }

  @Test
  void anUnusedPermitGivesItsPagesBack() {
    Permit permit = admit(13 * MIB).join();
    CompletableFuture<Permit> next = admit(13 * MIB);
    assertThat(next).isNotDone();
    permit.close();
    permit.close();
    next.join().close();
  }

  @Test
  void moreThanThePermitHasIsRefused() {
    try (Permit permit = admit(8_192).join()) {
      assertThatThrownBy(() -> permit.allocate(8_193)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> permit.allocate(0)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @ParameterizedTest
  @EnumSource(Level.class)
  void aBufferGrowsWhereItLiesByOnePermitAfterAnother(Level level) {
    Level before = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(level);
    try {
      Budget uploads = pool.rootBudget().child("uploads", 16 * MIB);
      WeirAdmission charged = new WeirAdmission(allocator, uploads);
      Permit first = charged.admit(65_536, LONG).toCompletableFuture().join();
      ByteBuf buffer = first.allocateGrowing(65_536, (int) (8 * MIB));
      first.close();
      ByteBuf others = allocator.directBuffer((int) (4 * MIB));
      for (int step = 1; buffer.capacity() < 6 * MIB; step++) {
        buffer.writeZero(buffer.writableBytes() - 1).writeByte(step);
        int capacity = buffer.capacity();
        int moreBytes = Math.min(capacity, 1 << 20);
        CompletableFuture<Permit> granted = charged.admit(moreBytes, LONG).toCompletableFuture();
        try (Permit next = granted.orTimeout(60, TimeUnit.SECONDS).join()) {
          assertThat(next.tryGrow(buffer, capacity + moreBytes)).isTrue();
          assertThat(next.unspentBytes()).isZero();
        }
        assertThat(buffer.capacity()).isEqualTo(capacity + moreBytes);
        assertThat(uploads.chargedBytes()).as("its capacity").isEqualTo(capacity + moreBytes);
        assertThat(buffer.getByte(capacity - 1)).isEqualTo((byte) step);
        assertThat(buffer.nioBufferCount()).isOne();
      }
      others.release();
      assertThat(buffer.release()).isTrue();
      assertThat(uploads.chargedBytes()).isZero();
    } finally {
      ResourceLeakDetector.setLevel(before);
    }
  }

  @Test
  void whatCannotGrowByAPermitSaysSo() {
    Permit permit = admit(MIB).join();
    ByteBuf fixed = permit.allocate(65_536);
    ByteBuf growing = permit.allocateGrowing(65_536, 100_000);
    long unspent = permit.unspentBytes();
    assertThatThrownBy(() -> permit.tryGrow(fixed, 65_537))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> permit.tryGrow(growing, 100_001))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> permit.tryGrow(growing, 65_536 + (int) unspent + 1))
        .isInstanceOf(IllegalArgumentException.class);
    ByteBuf heap = allocator.heapBuffer(16);
    assertThat(permit.tryGrow(heap, 32)).isFalse();
    assertThat(permit.unspentBytes()).isEqualTo(unspent);
    permit.close();
    List.of(fixed, growing, heap).forEach(ByteBuf::release);
  }

  @Test
  void refusesWhatCanNeverFit() {
    assertThat(refusal(admit(17 * MIB))).isEqualTo(Reason.ABOVE_LIMIT);
  }

  @Test
  void aFullQueueIsNotForGood() {
    Permit all = admit(13 * MIB).join();
    List<CompletableFuture<Permit>> waiting = new ArrayList<>();
    waiting.add(admit(MIB)); // Those below wait behind it.
    do {
      waiting.add(admit(100_000));
    } while (!waiting.getLast().isCompletedExceptionally());
    assertThat(refusal(waiting.getLast())).isEqualTo(Reason.QUEUE_FULL);
    assertThat(refusal(admit(17 * MIB))).isEqualTo(Reason.ABOVE_LIMIT);
    PoolHeadroom headroom = new PoolHeadroom(pool, MIB, 2 * MIB, Duration.ofMillis(1));
    assertThat(headroom.relief().toCompletableFuture().join()).isFalse();
    PoolHeadroom patient = new PoolHeadroom(pool, MIB, 2 * MIB, Duration.ofSeconds(Long.MAX_VALUE));
    assertThat(patient.relief().toCompletableFuture()).isNotDone();
    waiting.forEach(request -> request.cancel(false));
    all.close();
  }

  @ParameterizedTest
  @ValueSource(longs = {1 << 20, 16 << 20, 100_000_001, 4L << 30})
  void theLimitIsWhatOneCanGetOfAnEmptyPool(long limitBytes) {
    try (Pool empty = Pool.create(PoolOptions.withLimit(limitBytes))) {
      WeirAdmission whole = new WeirAdmission(new WeirAllocator(empty));
      assertThat(whole.limitBytes()).as("before anything is allocated").isEqualTo(limitBytes);
      whole.admit(1, LONG).toCompletableFuture().join().close();
      assertThatThatMuchIsGranted(whole);
    }
  }

  private static void assertThatThatMuchIsGranted(WeirAdmission admission) {
    long bytes = admission.limitBytes();
    try (Permit permit = admission.admit(bytes, LONG).toCompletableFuture().join()) {
      assertThat(permit.unspentBytes()).isEqualTo(bytes).isEqualTo(admission.limitBytes());
    }
    assertThat(refusal(admission.admit(bytes + 1, LONG).toCompletableFuture()))
        .isEqualTo(Reason.ABOVE_LIMIT);
  }

  @Test
  void everyLimitFromTheBudgetToTheRootCounts() {
    admit(1).join().close();
    Budget object = pool.rootBudget().child("object", Budget.UNLIMITED);
    Budget uploads = object.child("uploads", 100_000);
    WeirAdmission charged = new WeirAdmission(allocator, uploads);
    assertThat(charged.limitBytes()).as("whole pages").isEqualTo(98_304);
    assertThatThatMuchIsGranted(charged);

    uploads.setLimitBytes(Budget.UNLIMITED);
    assertThat(charged.limitBytes()).isEqualTo(admission.limitBytes());
    assertThatThatMuchIsGranted(charged);

    object.setLimitBytes(3 * MIB);
    assertThat(charged.limitBytes()).isEqualTo(3 * MIB);
    assertThatThatMuchIsGranted(charged);

    pool.setLimitBytes(2 * MIB);
    assertThat(charged.limitBytes()).isLessThan(2 * MIB);
    assertThatThatMuchIsGranted(charged);
    pool.setLimitBytes(16 * MIB);
  }

  @Test
  void aPoolWithoutAddressesIsUnavailable() {
    List<Pool> pools = new ArrayList<>();
    CompletableFuture<Permit> request;
    do {
      assertThat(pools).as("pools of 48 TiB of addresses each").hasSizeLessThan(16);
      Pool vast = Pool.create(PoolOptions.withLimit(16L << 40));
      pools.add(vast);
      request = new WeirAdmission(new WeirAllocator(vast)).admit(1, LONG).toCompletableFuture();
      if (!request.isCompletedExceptionally()) {
        request.join().close();
      }
    } while (!request.isCompletedExceptionally());
    assertThat(refusal(request)).isEqualTo(Reason.UNAVAILABLE);
    PoolHeadroom headroom = new PoolHeadroom(pools.getLast());
    assertThat(headroom.relief().toCompletableFuture()).isCompletedExceptionally();
    pools.forEach(Pool::close);
  }

  @Test
  void refusesAtTheDeadline() {
    try (Permit all = admit(13 * MIB).join()) {
      assertThat(all.unspentBytes()).isEqualTo(13 * MIB);
      CompletableFuture<Permit> late =
          admission.admit(4 * MIB, Duration.ofMillis(1)).toCompletableFuture();
      assertThat(refusal(late)).isEqualTo(Reason.DEADLINE);
    }
  }

  @Test
  void permitsAreChargedToTheBudgetThatTheyAreFor() {
    Budget uploads = pool.rootBudget().child("uploads", 4 * MIB);
    WeirAdmission charged = new WeirAdmission(allocator, uploads);
    Permit permit = charged.admit(3 * MIB, LONG).toCompletableFuture().join();
    assertThat(uploads.chargedBytes()).isEqualTo(3 * MIB);
    ByteBuf buffer = permit.allocate((int) (2 * MIB));
    CompletableFuture<Permit> next = charged.admit(2 * MIB, LONG).toCompletableFuture();
    assertThat(next).isNotDone();
    assertThat(refusal(charged.admit(5 * MIB, LONG).toCompletableFuture()))
        .isEqualTo(Reason.ABOVE_LIMIT);

    permit.close();

    next.join().close();
    assertThat(uploads.chargedBytes()).isEqualTo(2 * MIB);
    buffer.release();
    assertThat(uploads.chargedBytes()).isZero();
    try (Pool other = Pool.create(PoolOptions.withLimit(MIB))) {
      assertThatThrownBy(() -> new WeirAdmission(allocator, other.rootBudget()))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void aClosedPoolIsUnavailable() {
    pool.close();
    assertThat(refusal(admit(MIB))).isEqualTo(Reason.UNAVAILABLE);
  }

  @Test
  void aCancelledRequestLeavesTheQueue() {
    Permit most = admit(12 * MIB).join();
    CompletableFuture<Permit> cancelled = admit(13 * MIB);
    CompletableFuture<Permit> next = admit(MIB);
    assertThat(cancelled.cancel(false)).isTrue();
    next.join().close();
    most.close();
  }

  /** As one does who has no Java heap for a cancellation. */
  @Test
  void aRequestThatIsCompletedWithNullLeavesTheQueue() {
    Permit most = admit(12 * MIB).join();
    CompletableFuture<Permit> givenUp = admit(13 * MIB);
    CompletableFuture<Permit> next = admit(MIB);
    assertThat(givenUp.complete(null)).isTrue();
    next.orTimeout(60, TimeUnit.SECONDS).join().close();
    most.close();
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
}
