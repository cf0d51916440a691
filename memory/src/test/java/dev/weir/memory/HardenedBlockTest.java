package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.hardening.BlockHistory;
import dev.weir.memory.hardening.Hardening;
import dev.weir.memory.hardening.Misuse;
import dev.weir.memory.hardening.Misuse.Kind;
import dev.weir.memory.hardening.MisuseReport;
import dev.weir.memory.os.AddressSpace;
import dev.weir.memory.testing.Await;
import dev.weir.memory.testing.Workers;
import dev.weir.memory.view.MapWindow;
import dev.weir.memory.view.PoolView;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Mistakes in the use of blocks, and who is told of them. */
@Timeout(120)
class HardenedBlockTest {
  private static final int PAGE_BYTES = 4 << 10;

  private final Pool pool =
      Pool.create(PoolOptions.withLimit(16 << 20).withName("pool").withHardening(Hardening.full()));
  private final Budget budget = pool.rootBudget().child("budget", 8 << 20);

  @AfterEach
  void everythingIsReleased() {
    assertThat(pool.liveBlockBytes()).isZero();
    assertThat(budget.chargedBytes()).isZero();
    pool.trim();
    assertThat(pool.residentBytes()).isZero();
    pool.checkInvariants();
    pool.close();
  }

  // Names that the stacks show.

  private Block allocateHere(long bytes) {
    return pool.allocate(bytes, budget);
  }

  private static void releaseHere(Block block) {
    block.release();
  }

  private Misuse onlyMisuse(Kind kind) {
    MisuseReport report = pool.misuses();
    assertThat(report.counts()).containsOnlyKeys(kind).containsEntry(kind, 1L);
    assertThat(report.total()).isOne();
    return report.latest().getFirst();
  }

  private static void assertNames(List<StackTraceElement> stack, String method) {
    assertThat(stack.getFirst())
        .extracting(StackTraceElement::getClassName, StackTraceElement::getMethodName)
        .containsExactly(HardenedBlockTest.class.getName(), method);
  }

  @Test
  void aBlockIsAsLongAsItWasAskedForAndChargesThat() {
    for (int bytes : new int[] {0, 1, 100, 4_096, 5_000, 65_537, 1 << 20}) {
      Block block = allocateHere(bytes);
      assertThat(block.size()).isEqualTo(bytes);
      assertThat(block.segment().byteSize()).isEqualTo(bytes);
      assertThat(block.address() % (bytes < 4_000 ? 64 : PAGE_BYTES)).isZero();
      assertThat(budget.chargedBytes()).isEqualTo(bytes);
      assertThat(pool.liveBlockBytes()).isEqualTo(bytes);
      block.segment().fill((byte) 7);
      assertThat(block.tryGrow(bytes)).isTrue();
      assertThat(block.tryGrow(bytes + 1)).isFalse();
      block.release();
    }
    assertThat(pool.misuses()).isEqualTo(MisuseReport.EMPTY);
  }

  @Test
  void aSecondReleaseIsRefusedWithBothStacks() {
    Block block = allocateHere(100);
    releaseHere(block);
    assertThatIllegalStateException()
        .isThrownBy(block::release)
        .withMessageContaining("allocateHere(HardenedBlockTest.java:")
        .withMessageContaining("releaseHere(HardenedBlockTest.java:")
        .satisfies(e -> {
          assertThat(e.getCause()).hasMessageStartingWith("released by thread");
          assertNames(List.of(e.getCause().getStackTrace()), "releaseHere");
          assertThat(e.getCause().getCause()).hasMessageContaining("100 bytes allocated by thread");
          assertNames(List.of(e.getCause().getCause().getStackTrace()), "allocateHere");
        });
    assertThat(onlyMisuse(Kind.SECOND_RELEASE).message()).contains("released already");
  }

  @Test
  void aStaleBlockIsRefusedForEverAlsoWhenItsPagesAreUsedAgain() {
    Block stale = allocateHere(100);
    long address = stale.address();
    stale.release();
    pool.trim();
    Block next = allocateHere(100);
    assertThat(next.address()).isEqualTo(address);

    assertThatIllegalStateException().isThrownBy(stale::release);
    assertThatIllegalStateException().isThrownBy(stale::segment);
    assertThat(pool.misuses().counts())
        .containsEntry(Kind.SECOND_RELEASE, 1L)
        .containsEntry(Kind.USE_AFTER_RELEASE, 1L);
    next.segment().set(ValueLayout.JAVA_BYTE, 99, (byte) 1);
    next.release();
  }

  @Test
  void segmentsAndBuffersThatWereKeptFailAndTheirHistoryCanBeAsked() {
    Block block = allocateHere(100);
    MemorySegment segment = block.segment().asSlice(10, 20);
    ByteBuffer buffer = segment.asByteBuffer();
    assertThat(pool.historyOf(segment)).as("live").isNull();
    releaseHere(block);

    assertThatThrownBy(() -> segment.get(ValueLayout.JAVA_BYTE, 0))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
    assertThatThrownBy(() -> buffer.get(0)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> buffer.put(0, (byte) 1)).isInstanceOf(IllegalStateException.class);
    for (MemorySegment kept : List.of(segment, MemorySegment.ofBuffer(buffer))) {
      BlockHistory history = pool.historyOf(kept);
      assertThat(history).isNotNull();
      assertNames(history.allocation(), "allocateHere");
      assertNames(history.releaseStack(), "releaseHere");
    }
    pool.trim();
    assertThat(pool.historyOf(segment)).as("left the quarantine").isNull();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100, 4_095, 4_096, 70_000})
  void aWriteBehindTheEndIsFoundAtTheRelease(int bytes) {
    Block block = allocateHere(bytes);
    AddressSpace.ALL.set(ValueLayout.JAVA_BYTE, block.address() + bytes + 5, (byte) 1);
    block.release();

    Misuse misuse = onlyMisuse(Kind.OVERRUN);
    assertThat(misuse.message()).startsWith("byte 5 behind the end of a block was written");
    assertNames(misuse.allocated(), "allocateHere");
    pool.trim();
    assertThat(pool.misuses().total()).as("told of once").isOne();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 100, 4_016, 4_017, 70_000})
  void aWriteInFrontOfTheStartIsFoundAtTheRelease(int bytes) {
    Block before = allocateHere(4_000);
    Block block = allocateHere(bytes);
    AddressSpace.ALL.set(ValueLayout.JAVA_LONG_UNALIGNED, block.address() - 8, 1);
    before.release();
    block.release();

    Misuse misuse = onlyMisuse(Kind.UNDERRUN);
    assertThat(misuse.message())
        .startsWith("byte 8 in front of the start of a block was written: %,d b".formatted(bytes));
    assertNames(misuse.allocated(), "allocateHere");
    pool.trim();
    assertThat(pool.misuses().total()).as("told of once").isOne();
  }

  @Test
  void aBlockThatMayGrowIsHardenedInstead() {
    Block block = pool.allocateGrowing(100_000, budget);
    assertThat(block.tryGrow(100_001)).isFalse();
    block.release();
    assertThatIllegalStateException()
        .isThrownBy(block::release)
        .withMessageContaining("aBlockThatMayGrowIsHardenedInstead(");
  }

  @ParameterizedTest
  @ValueSource(ints = {-60, 0, 99, 100})
  void aWriteThroughABareAddressAfterTheReleaseIsFoundLater(int offset) {
    Block block = allocateHere(100);
    long address = block.address();
    releaseHere(block);
    AddressSpace.ALL.set(ValueLayout.JAVA_BYTE, address + offset, (byte) 1);
    assertThat(pool.misuses().total()).isZero();
    pool.trim();

    Misuse misuse = onlyMisuse(Kind.WRITE_AFTER_RELEASE);
    assertThat(misuse.message()).startsWith("byte " + offset + " of a block was written after");
    assertNames(misuse.released(), "releaseHere");
  }

  @Test
  void ofTwoReleasesThatRaceOneIsRefused() throws InterruptedException {
    for (int i = 0; i < 200; i++) {
      Block block = allocateHere(64);
      AtomicInteger refused = new AtomicInteger();
      Workers workers = new Workers();
      for (int thread = 0; thread < 2; thread++) {
        workers.platform(() -> {
          try {
            block.release();
          } catch (IllegalStateException e) {
            refused.incrementAndGet();
          }
        });
      }
      workers.join();
      assertThat(refused).hasValue(1);
      assertThat(budget.chargedBytes()).isZero();
    }
  }

  @Test
  void aReleaseDuringASystemCallClosesTheBlockAfterIt() throws IOException, InterruptedException {
    Pipe pipe = Pipe.open();
    Block block = allocateHere(1 << 20);
    MemorySegment memory = block.segment();
    ByteBuffer view = memory.asByteBuffer();
    Workers workers = new Workers();
    workers.platform(() -> {
      while (view.hasRemaining()) {
        pipe.sink().write(view);
      }
      pipe.sink().close();
    });
    ByteBuffer sink = ByteBuffer.allocate(64 << 10);
    assertThat(pipe.source().read(sink)).as("the write is under way").isPositive();
    block.release();
    assertThat(pool.liveBlockBytes()).isZero();
    pool.trim();
    assertThat(memory.scope().isAlive()).as("a pipe holds less than a MiB").isTrue();
    assertThat(pool.liveBytes()).as("its pages are nobody else's meanwhile").isPositive();

    while (pipe.source().read(sink.clear()) >= 0) {}
    workers.join();
    pool.trim();
    assertThat(memory.scope().isAlive()).isFalse();
    assertThat(pool.liveBytes()).isZero();
    assertThat(pool.misuses().total()).isZero();
  }

  @Test
  void blocksOfGrantsAreHardenedToo() throws Exception {
    try (Grant grant = pool.grant(8 * PAGE_BYTES, Duration.ZERO).get()) {
      Block whole = grant.allocate(2 * PAGE_BYTES);
      Block part = grant.allocate(100);
      assertThat(grant.remainingBytes()).isEqualTo(5 * PAGE_BYTES);
      AddressSpace.ALL.set(ValueLayout.JAVA_BYTE, part.address() + 100, (byte) 1);
      part.release();
      whole.release();
      assertThatIllegalStateException().isThrownBy(whole::release);
    }
    assertThat(pool.misuses().counts()).containsOnlyKeys(Kind.OVERRUN, Kind.SECOND_RELEASE);
  }

  @Test
  void alignmentHoldsForSegmentsOfAScope() {
    try (BlockScope scope = new BlockScope(pool)) {
      for (long alignment = 1; alignment <= BlockScope.MAX_ALIGNMENT_BYTES; alignment *= 2) {
        for (long bytes : new long[] {1, 100, 5_000, 65_536, 70_000}) {
          MemorySegment segment = scope.allocate(bytes, alignment);
          assertThat(segment.byteSize()).isEqualTo(bytes);
          assertThat(segment.address() % alignment).isZero();
        }
      }
    }
  }

  @Test
  void whatHardeningTakesIsShownByKind() {
    Block live = allocateHere(100);
    Block released = allocateHere(5_000);
    released.release();

    PoolView view = pool.view(MapWindow.NOTHING);
    assertThat(view.waste().quarantinedBytes()).isEqualTo(3 * PAGE_BYTES);
    assertThat(view.waste().hardeningBytes()).isEqualTo(PAGE_BYTES - 100);
    assertThat(view.blocks()).isOne();
    assertThat(view.blockBytes()).isEqualTo(100);
    assertThat(view.liveBytes())
        .isEqualTo(
            view.blockBytes() + view.waste().quarantinedBytes() + view.waste().hardeningBytes());
    assertThat(pool.snapshot().runs()).isOne();
    assertThat(pool.snapshot().runBytes()).isEqualTo(100);
    assertThat(pool.snapshot().toString()).contains("quarantined: 12,288 bytes");
    live.release();
  }

  @Test
  void aClosedPoolKeepsNoQuarantineAndGoesWithItsLastBlock() {
    Pool closing = Pool.create(PoolOptions.withLimit(4 << 20).withHardening(Hardening.full()));
    Block early = closing.allocate(100);
    Block late = closing.allocate(100);
    early.release();
    closing.close();
    assertThat(closing.snapshot().quarantinedBytes()).isZero();
    late.segment().fill((byte) 1);
    late.release();
    assertThat(closing.liveBytes()).isZero();
    Await.until(() -> closing.residentBytes() == 0, () -> "pages stay");
    assertThatIllegalStateException().isThrownBy(late::release);
  }

  @Test
  void aPoolWithoutHardeningFindsNothing() {
    Pool plain = Pool.create(PoolOptions.withLimit(1 << 20).withoutHardening());
    Block block = plain.allocate(64);
    assertThat(block.history()).isNull();
    MemorySegment segment = block.segment();
    block.release();
    assertThatIllegalStateException().isThrownBy(block::release);
    assertThat(segment.scope().isAlive()).isTrue();
    assertThat(plain.historyOf(segment)).isNull();
    assertThat(plain.misuses()).isEqualTo(MisuseReport.EMPTY);
    assertThat(plain.hardener()).isNull();
    plain.close();
  }
}
