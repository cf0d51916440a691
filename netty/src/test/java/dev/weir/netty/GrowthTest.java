package dev.weir.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.Pool;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.memory.pressure.Registration;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How direct buffers grow, shrink, and are refused. */
class GrowthTest {
  private static final int MIB = 1 << 20;

  @RegisterExtension static final PoolUnderTest MEMORY = new PoolUnderTest();

  private final WeirAllocator allocator = MEMORY.allocator();

  @Test
  void aBufferThatGrowsFromNothingIsCopiedOutOfItsSlotsOnly() {
    ByteBuf body = allocator.directBuffer(256);
    long moved = 0;
    long address = body.memoryAddress();
    for (int written = 0; written < 64 * MIB; written += 4096) {
      body.writeLong(written).writeZero(4096 - Long.BYTES);
      if (body.memoryAddress() != address) {
        address = body.memoryAddress();
        moved++;
      }
    }
    assertThat(moved).as("out of its slots, and once to a longer room").isLessThanOrEqualTo(10);
    assertThat(body.nioBuffer().remaining()).isEqualTo(64 * MIB);
    for (int read = 0; read < 64 * MIB; read += 4096) {
      assertThat(body.readLong()).isEqualTo(read);
      body.skipBytes(4096 - Long.BYTES);
    }
    body.release();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void theKernelCountsWhatWasWritten() throws Exception {
    for (int content : new int[] {1_000_000, 5_000_000, 33_000_000, 64 * MIB}) {
      WeirAllocator fresh = WeirAllocator.withLimit(256 * MIB);
      ByteBuf body = fresh.directBuffer(256);
      for (int written = 0; written < content; written += 1_000) {
        body.writeZero(1_000);
      }
      Pool pool = fresh.pool();
      assertThat(ReservationRss.bytes(pool))
          .as("with %d bytes of content", content)
          .isLessThanOrEqualTo(content + content / 10 + (64 << 10));
      assertThat(pool.liveBlockBytes()).isEqualTo(body.capacity());
      body.release();
      fresh.close();
    }
  }

  @Test
  void aRefusedGrowthNamesWhatItLackedAndNotTheWholeCapacity() {
    WeirAllocator narrow = WeirAllocator.withLimit(32 * MIB);
    Budget feature = narrow.pool().rootBudget().child("feature", 3 * MIB);
    ByteBuf body = narrow.charging(feature).directBuffer(100_000);
    body.capacity(2 * MIB);

    assertThatExceptionOfType(BudgetExceededError.class)
        .isThrownBy(() -> body.capacity(4 * MIB))
        .withMessageContaining("no room for 2,097,152 bytes of direct memory: limit 3,145,728")
        .withMessageContaining("for a block of 2,097,152 bytes to grow to 4,194,304")
        .satisfies(refusal -> assertThat(refusal.requestedBytes()).isEqualTo(2 * MIB));
    ByteBuf ballast = narrow.directBuffer(29 * MIB);
    assertThatExceptionOfType(BudgetExceededError.class)
        .isThrownBy(() -> body.capacity(3 * MIB))
        .withMessageContaining("no room for 1,048,576 bytes of direct memory: limit 33,554,432");
    assertThat(body.capacity()).isEqualTo(2 * MIB);
    body.release();
    ballast.release();
    narrow.close();
  }

  /** A slot is copied: both are needed for a moment. */
  @Test
  void aRefusedCopyNamesTheWholeCapacity() {
    WeirAllocator narrow = WeirAllocator.withLimit(32 * MIB);
    Budget feature = narrow.pool().rootBudget().child("feature", 150_000);
    ByteBuf body = narrow.charging(feature).directBuffer(64 << 10);

    assertThatExceptionOfType(BudgetExceededError.class)
        .isThrownBy(() -> body.capacity(100_000))
        .withMessageContaining("no room for 100,000 bytes of direct memory: limit 150,000")
        .withMessageContaining("for a block of 65,536 bytes to grow to 100,000");
    body.release();
    narrow.close();
  }

  @Test
  void growthAtTheLimitTakesWhatOthersKeepFree() {
    WeirAllocator narrow = WeirAllocator.withLimit(32 * MIB);
    ByteBuf body = narrow.directBuffer(256);
    ByteBuf ballast = narrow.directBuffer(15 * MIB);
    body.writeZero(8 * MIB);
    ballast.release();
    for (int i = 0; i < 1_000; i++) {
      narrow.directBuffer(8_000).release();
    }
    body.writeZero(19 * MIB);
    assertThat(body.capacity()).as("of a limit of 32 MiB").isEqualTo(28 * MIB);
    assertThat(body.release()).isTrue();
    narrow.close();
  }

  @Test
  void shrinkingALargeBufferGivesItsPagesBack() {
    ByteBuf body = allocator.directBuffer(8 * MIB).writeLong(42);
    long before = MEMORY.pool().liveBlockBytes();
    body.capacity(MIB);
    assertThat(before - MEMORY.pool().liveBlockBytes()).isEqualTo(7 * MIB);
    assertThat(body.readLong()).isEqualTo(42);
    assertThat(body.internalNioBuffer(MIB - 1, 1).remaining()).isEqualTo(1);
    body.release();
  }

  /** It can do without a smaller block: nobody is asked for room that it would take. */
  @Test
  void shrinkingWhereThereIsNoRoomBothersNobody() {
    Budget narrow = MEMORY.pool().rootBudget().child("narrow", 9 * MIB);
    AtomicInteger asked = new AtomicInteger();
    Registration reclaimer =
        MEMORY
            .pool()
            .addReclaimer(
                narrow,
                0,
                bytes -> {
                  asked.incrementAndGet();
                  return 0;
                });
    ByteBuf body = allocator.charging(narrow).directBuffer(8 * MIB).writeLong(42);

    body.capacity(2 * MIB);

    assertThat(asked).hasValue(0);
    assertThat(body.capacity()).isEqualTo(2 * MIB);
    assertThat(body.readLong()).isEqualTo(42);
    assertThat(narrow.chargedBytes()).as("there was no room for both").isEqualTo(8 * MIB);
    body.release();
    reclaimer.close();
    narrow.close();
  }

  @Test
  void growthRefusedByABudgetLeavesTheBufferIntact() {
    Budget narrow = MEMORY.pool().rootBudget().child("narrow", 100_000);
    ByteBuf buffer = allocator.charging(narrow).directBuffer(1_000);
    assertRefusedUnharmed(buffer, 200_000);
    assertThat(narrow.chargedBytes()).isEqualTo(1_024);
    buffer.release();
    assertThat(narrow.chargedBytes()).isZero();
  }

  @Test
  void growthRefusedByThePoolLeavesTheBufferIntact() {
    ByteBuf buffer = allocator.directBuffer(100_000);
    assertRefusedUnharmed(buffer, 300 * MIB);
    buffer.release();
  }

  private static void assertRefusedUnharmed(ByteBuf buffer, int tooMuch) {
    buffer.writeZero(100).writeLong(42).skipBytes(100);
    long address = buffer.memoryAddress();
    int capacity = buffer.capacity();
    assertThatThrownBy(() -> buffer.capacity(tooMuch)).isInstanceOf(BudgetExceededError.class);
    assertThatThrownBy(() -> buffer.ensureWritable(tooMuch))
        .isInstanceOf(BudgetExceededError.class);
    assertThat(buffer.capacity()).isEqualTo(capacity);
    assertThat(buffer.memoryAddress()).isEqualTo(address);
    assertThat(buffer.refCnt()).isEqualTo(1);
    assertThat(buffer.readLong()).isEqualTo(42);
  }

  @Test
  void aRefusedAllocationThrowsAnOutOfMemoryErrorThatNamesTheBudget() {
    Budget narrow = MEMORY.pool().rootBudget().child("uploads", 100_000);
    assertThatThrownBy(() -> allocator.charging(narrow).directBuffer(200_000))
        .isInstanceOf(OutOfMemoryError.class)
        .hasMessageContaining("uploads")
        .hasMessageContaining("100");
  }
}
