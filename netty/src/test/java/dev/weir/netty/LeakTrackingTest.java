package dev.weir.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.Grant;
import dev.weir.netty.buffer.LeakTrackedByteBuf;
import dev.weir.netty.buffer.WeirByteBuf;
import io.netty.buffer.ByteBuf;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Netty's leak detector sees Weir's buffers, although their slots keep them: which, and what
 * becomes of those that it watches. What it says of them is in {@link LeakRecordsTest}.
 */
class LeakTrackingTest {
  private static final int ALLOCATIONS_PER_COLLECTION = 2_000;

  /** Blocks of buffers that these tests lose stay live, so they come from a pool of their own. */
  private static final WeirAllocator LOSING = WeirAllocator.withLimit(64L << 20);

  @RegisterExtension static final PoolUnderTest MEMORY = new PoolUnderTest();

  private static final WeirAllocator ON_HEAP = WeirAllocator.preferringHeap(MEMORY.pool());

  @RegisterExtension static final LeakDetection DETECTION = new LeakDetection();

  @Test
  void aLostBufferOfAViewIsReported() {
    ResourceLeakDetector.setLevel(Level.PARANOID);
    loseOfView();
    awaitReportOf("loseOfView");
  }

  @Test
  void aBufferThatGrewBeforeItWasLostIsReported() {
    ResourceLeakDetector.setLevel(Level.PARANOID);
    loseGrown();
    awaitReportOf("loseGrown");
  }

  @Test
  void aLostHeapBufferIsReported() {
    ResourceLeakDetector.setLevel(Level.PARANOID);
    loseOnHeap();
    awaitReportOf("loseOnHeap");
  }

  @Test
  void aLostHeapBufferIsReportedAtLevelSimple() {
    ResourceLeakDetector.setLevel(Level.SIMPLE);
    loseWatchedOnHeap();
    awaitReportOf("loseWatchedOnHeap");
  }

  @Test
  void aWatchedHeapBufferStaysDeadWhenItsSlotLivesAgain() {
    ResourceLeakDetector.setLevel(Level.SIMPLE);
    ByteBuf watched = LeakDetection.tracked(ON_HEAP);
    int offset = watched.arrayOffset();
    watched.release();

    ResourceLeakDetector.setLevel(Level.DISABLED);
    ByteBuf next = MEMORY.allocator().heapBuffer(64);
    assertThat(next.arrayOffset()).isEqualTo(offset);
    assertThat(next).isNotSameAs(watched);
    for (ThrowingCallable use :
        List.<ThrowingCallable>of(
            watched::release,
            () -> watched.release(2),
            watched::retain,
            () -> watched.retain(2),
            watched::array,
            () -> watched.getByte(0))) {
      assertThatThrownBy(use).isInstanceOf(IllegalReferenceCountException.class);
    }
    assertThat(next.refCnt()).isEqualTo(1);
    next.release();
  }

  @Test
  void nothingIsTrackedWhenDisabled() {
    ResourceLeakDetector.setLevel(Level.DISABLED);
    for (int i = 0; i < ALLOCATIONS_PER_COLLECTION; i++) {
      ByteBuf buffer = MEMORY.allocator().directBuffer(64);
      assertThat(buffer).isExactlyInstanceOf(WeirByteBuf.class);
      buffer.release();
    }
  }

  @Test
  void aTrackedBufferStaysDeadWhenItsSlotLivesAgain() {
    ResourceLeakDetector.setLevel(Level.PARANOID);
    ByteBuf tracked = MEMORY.allocator().directBuffer(100);
    ByteBuf inner = tracked.unwrap();
    long address = tracked.memoryAddress();
    tracked.release();

    ResourceLeakDetector.setLevel(Level.DISABLED);
    ByteBuf next = MEMORY.allocator().directBuffer(100);
    assertThat(next.memoryAddress()).isEqualTo(address);
    assertThat(next).isNotSameAs(inner);
    assertThatThrownBy(tracked::release).isInstanceOf(IllegalReferenceCountException.class);
    assertThatThrownBy(inner::release).isInstanceOf(IllegalReferenceCountException.class);
    assertThatThrownBy(() -> inner.getByte(0)).isInstanceOf(IllegalReferenceCountException.class);
    assertThat(next.refCnt()).isEqualTo(1);
    next.release();
  }

  @Test
  void aTrackedBufferGrowsThroughSlotsThatHaveBuffersOfTheirOwn() {
    ResourceLeakDetector.setLevel(Level.DISABLED);
    MEMORY.allocator().directBuffer(1_024).release();

    ResourceLeakDetector.setLevel(Level.PARANOID);
    ByteBuf tracked = MEMORY.allocator().directBuffer(100).writeLong(42);
    ByteBuf inner = tracked.unwrap();
    tracked.capacity(1_024);
    tracked.capacity(100_000);
    assertThat(tracked.readLong()).isEqualTo(42);
    tracked.release();

    ResourceLeakDetector.setLevel(Level.DISABLED);
    for (int capacity : new int[] {100, 1_024, 100_000}) {
      ByteBuf next = MEMORY.allocator().directBuffer(capacity);
      assertThat(next).isNotSameAs(inner);
      next.setZero(0, capacity).release();
    }
    assertThatThrownBy(inner::release).isInstanceOf(IllegalReferenceCountException.class);
  }

  @Test
  void oneBufferIn128IsWatchedAtLevelSimple() {
    ResourceLeakDetector.setLevel(Level.SIMPLE);
    int watched = 0;
    for (int i = 0; i < 128 * 2_000; i++) {
      ByteBuf buffer = MEMORY.allocator().directBuffer(64);
      watched += buffer instanceof LeakTrackedByteBuf ? 1 : 0;
      buffer.release();
    }
    assertThat(watched).isBetween(1_700, 2_300);
  }

  @Test
  void aWatchedBufferThatWasReleasedIsNotReportedAndStaysDead() {
    ResourceLeakDetector.setLevel(Level.SIMPLE);
    ByteBuf watched = releasedBuffer();
    long address = watched.retain().memoryAddress();
    watched.release();
    watched.release();

    ResourceLeakDetector.setLevel(Level.DISABLED);
    ByteBuf next = MEMORY.allocator().directBuffer(64);
    assertThat(next.memoryAddress()).isEqualTo(address);
    assertThat(next).isNotSameAs(watched);
    assertThatThrownBy(watched::release).isInstanceOf(IllegalReferenceCountException.class);
    assertThat(next.refCnt()).isEqualTo(1);
    next.release();

    ResourceLeakDetector.setLevel(Level.SIMPLE);
    loseAtSimple();
    awaitReportOf("loseAtSimple");
    assertThat(LeakReports.REPORTS).noneMatch(report -> report.contains("releasedBuffer("));
  }

  @Test
  void viewsOfAWatchedBufferStayDeadToo() {
    ResourceLeakDetector.setLevel(Level.SIMPLE);
    ByteBuf watched = releasedBuffer().writeLong(1);
    List<ByteBuf> all =
        List.of(watched, watched.slice(), watched.duplicate(), watched.asReadOnly());
    long address = watched.memoryAddress();
    assertThat(watched.release(1)).isTrue();

    ResourceLeakDetector.setLevel(Level.DISABLED);
    ByteBuf next = MEMORY.allocator().directBuffer(64).writeLong(2);
    assertThat(next.memoryAddress()).isEqualTo(address);
    for (ByteBuf dead : all) {
      assertThat(dead.refCnt()).isZero();
      for (ThrowingCallable use : usesOf(dead)) {
        assertThatThrownBy(use).isInstanceOf(IllegalReferenceCountException.class);
      }
    }
    assertThat(next.refCnt()).isEqualTo(1);
    assertThat(next.readLong()).isEqualTo(2);
    next.release();
  }

  private static List<ThrowingCallable> usesOf(ByteBuf buffer) {
    return List.of(
        () -> buffer.getByte(0),
        () -> buffer.getLong(0),
        () -> buffer.getBytes(0, new byte[8]),
        () -> buffer.forEachByte(0, 8, b -> true),
        () -> buffer.nioBuffer(0, 8),
        buffer::memoryAddress,
        buffer::retain,
        () -> buffer.retain(2),
        buffer::release,
        () -> buffer.release(2));
  }

  @Test
  void aWatchedBufferGrowsWithPagesOfAGrant() {
    ResourceLeakDetector.setLevel(Level.SIMPLE);
    WeirAllocator allocator = MEMORY.allocator();
    Grant grant = MEMORY.pool().grant(1 << 20, Duration.ofSeconds(60)).join();
    ByteBuf watched = allocator.wrap(grant.allocateGrowing(65_536), 65_536, 1 << 20);
    while (!(watched instanceof LeakTrackedByteBuf)) {
      watched.release();
      grant.close();
      grant = MEMORY.pool().grant(1 << 20, Duration.ofSeconds(60)).join();
      watched = allocator.wrap(grant.allocateGrowing(65_536), 65_536, 1 << 20);
    }
    watched.setLong(65_528, 42);
    assertThat(allocator.tryGrow(watched, 131_072, grant)).isTrue();
    assertThat(watched.capacity()).isEqualTo(131_072);
    assertThat(watched.getLong(65_528)).isEqualTo(42);
    watched.release();
    grant.close();
  }

  @Test
  void aWrappedBlockIsWatchedToo() {
    ResourceLeakDetector.setLevel(Level.SIMPLE);
    loseWrapped();
    awaitReportOf("loseWrapped");
    ResourceLeakDetector.setLevel(Level.PARANOID);
    ByteBuf wrapped = MEMORY.allocator().wrap(MEMORY.pool().allocate(64), 64, 64);
    assertThat(wrapped).isNotInstanceOf(WeirByteBuf.class);
    wrapped.release();
  }

  private static ByteBuf releasedBuffer() {
    return LeakDetection.tracked(MEMORY.allocator());
  }

  // Each loses a buffer in a method of its own, whose name tells its report from the others'.

  private static void loseAtSimple() {
    LeakDetection.tracked(LOSING).writeLong(1);
  }

  private static void loseOfView() {
    LeakDetection.tracked(LOSING.charging(LOSING.pool().rootBudget().child("view", 1 << 20)))
        .writeLong(1);
  }

  private static void loseGrown() {
    LOSING.directBuffer(64).capacity(2_000).capacity(200_000);
  }

  private static void loseWrapped() {
    ByteBuf buffer = LOSING.wrap(LOSING.pool().allocate(64), 64, 64);
    while (buffer.getClass() == WeirByteBuf.class) {
      buffer.release();
      buffer = LOSING.wrap(LOSING.pool().allocate(64), 64, 64);
    }
  }

  private static void loseOnHeap() {
    LOSING.heapBuffer(64);
  }

  private static void loseWatchedOnHeap() {
    LeakDetection.tracked(WeirAllocator.preferringHeap(LOSING.pool())).writeLong(1);
  }

  private static void awaitReportOf(String method) {
    LeakReports.await(LeakTrackingTest.class, method, MEMORY.allocator());
  }
}
