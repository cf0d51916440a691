package dev.weir.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.netty.buffer.WeirByteBuf;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Netty's leak detector sees Weir's buffers, although their slots keep them. */
class LeakTrackingTest {
  private static final int MAX_COLLECTIONS = 200;
  private static final int ALLOCATIONS_PER_COLLECTION = 2_000;

  /** Blocks of buffers that these tests lose stay live, so they come from a pool of their own. */
  private static final WeirAllocator LOSING = WeirAllocator.withLimit(64L << 20);

  @RegisterExtension static final PoolUnderTest MEMORY = new PoolUnderTest();

  private final Level levelBefore = ResourceLeakDetector.getLevel();

  @AfterEach
  void trackAsBefore() {
    ResourceLeakDetector.setLevel(levelBefore);
    LeakReports.REPORTS.clear();
  }

  @ParameterizedTest
  @EnumSource(names = {"SIMPLE", "ADVANCED", "PARANOID"})
  void aLostBufferIsReported(Level level) {
    ResourceLeakDetector.setLevel(level);
    lose(LOSING, level.name());
    awaitReportOf("lose");
  }

  @Test
  void aLostBufferOfAViewIsReported() {
    ResourceLeakDetector.setLevel(Level.PARANOID);
    lose(LOSING.charging(LOSING.pool().rootBudget().child("view", 1 << 20)), "view");
    awaitReportOf("lose");
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
  void nothingIsTrackedWhenDisabled() {
    ResourceLeakDetector.setLevel(Level.DISABLED);
    for (int i = 0; i < ALLOCATIONS_PER_COLLECTION; i++) {
      ByteBuf buffer = MEMORY.allocator().directBuffer(64);
      assertThat(buffer).isInstanceOf(WeirByteBuf.class);
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

  private static void lose(ByteBufAllocator allocator, String contents) {
    ByteBuf buffer = allocator.directBuffer(64);
    while (buffer instanceof WeirByteBuf) {
      buffer.release();
      buffer = allocator.directBuffer(64);
    }
    buffer.writeCharSequence(contents, java.nio.charset.StandardCharsets.US_ASCII);
  }

  private static void loseGrown() {
    LOSING.directBuffer(64).capacity(2_000).capacity(200_000);
  }

  private static void loseOnHeap() {
    LOSING.heapBuffer(64);
  }

  private static void awaitReportOf(String method) {
    String frame = LeakTrackingTest.class.getName() + '.' + method + '(';
    for (int collection = 0; collection < MAX_COLLECTIONS; collection++) {
      System.gc();
      for (int i = 0; i < ALLOCATIONS_PER_COLLECTION; i++) {
        MEMORY.allocator().directBuffer(64).release();
      }
      if (LeakReports.REPORTS.stream().anyMatch(report -> report.contains(frame))) {
        return;
      }
    }
    assertThat(LeakReports.REPORTS)
        .as("reports of a buffer lost in %s", method)
        .anyMatch(r -> r.contains(frame));
  }
}
