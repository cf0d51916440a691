package dev.weir.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.hardening.BlockHistory;
import dev.weir.memory.hardening.Hardening;
import dev.weir.memory.hardening.Misuse;
import dev.weir.memory.hardening.Misuse.Kind;
import dev.weir.memory.os.AddressSpace;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.List;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Mistakes in the use of Netty's buffers: who is told, and of whose buffer. */
@Timeout(120)
class HardenedBufferTest {
  private final Level levelBefore = ResourceLeakDetector.getLevel();
  private final Pool pool =
      Pool.create(PoolOptions.withLimit(64 << 20).withName("pool").withHardening(Hardening.full()));
  private final WeirAllocator allocator = new WeirAllocator(pool);
  private final Budget feature = pool.rootBudget().child("feature", Budget.UNLIMITED);

  @AfterEach
  void everythingIsReleased() {
    ResourceLeakDetector.setLevel(levelBefore);
    assertThat(pool.liveBlockBytes()).isZero();
    assertThat(feature.chargedBytes()).isZero();
    pool.trim();
    assertThat(pool.residentBytes()).isZero();
    pool.checkInvariants();
    allocator.close();
    pool.close();
  }

  // Names that the stacks show.

  private ByteBuf allocateHere(int capacity) {
    return allocator.charging(feature).directBuffer(capacity).writeZero(capacity);
  }

  private static void releaseHere(ByteBuf buffer) {
    assertThat(buffer.release()).isTrue();
  }

  private static void assertExplained(ThrowingCallable access) {
    assertThatThrownBy(access)
        .isInstanceOf(IllegalReferenceCountException.class)
        .hasMessageContaining("refCnt: 0")
        .hasMessageContaining("allocateHere(HardenedBufferTest.java:")
        .hasMessageContaining("releaseHere(HardenedBufferTest.java:")
        .satisfies(e -> {
          Throwable released = e.getCause();
          assertNames(List.of(released.getStackTrace()), "releaseHere");
          assertNames(List.of(released.getCause().getStackTrace()), "allocateHere");
        });
  }

  private static void assertNames(List<StackTraceElement> stack, String method) {
    assertThat(stack.getFirst())
        .extracting(StackTraceElement::getClassName, StackTraceElement::getMethodName)
        .containsExactly(HardenedBufferTest.class.getName(), method);
  }

  @ParameterizedTest
  @EnumSource(Level.class)
  void staleAccessNamesBothStacksAtEveryLevelOfNettysDetector(Level level) {
    ResourceLeakDetector.setLevel(level);
    ByteBuf buffer = allocateHere(100);
    ByteBuf slice = buffer.slice(10, 50);
    ByteBuf duplicate = buffer.duplicate();
    ByteBuf nested = slice.slice(5, 10).asReadOnly();
    releaseHere(buffer);

    assertExplained(() -> buffer.getByte(0));
    assertExplained(() -> buffer.writeInt(1));
    assertExplained(buffer::readLong);
    assertExplained(buffer::nioBuffer);
    assertExplained(() -> buffer.internalNioBuffer(0, 1));
    assertExplained(buffer::memoryAddress);
    assertExplained(() -> buffer.capacity(200));
    assertExplained(() -> buffer.setBytes(0, Unpooled.directBuffer(1).writeByte(1)));
    assertExplained(() -> slice.getByte(0));
    assertExplained(() -> slice.setLong(0, 1));
    assertExplained(() -> duplicate.getInt(3));
    assertExplained(duplicate::retainedSlice);
    assertExplained(() -> nested.getByte(0));
    assertExplained(() -> Unpooled.buffer(100).writeBytes(slice));
    assertExplained(() -> Unpooled.compositeBuffer().addComponent(true, slice));
    assertThat(pool.misuses().counts().keySet())
        .contains(Kind.USE_AFTER_RELEASE)
        .isSubsetOf(Kind.USE_AFTER_RELEASE, Kind.SECOND_RELEASE);

    assertThat(buffer.refCnt()).isZero();
    assertThat(slice.refCnt()).isZero();
    assertThat(ByteBufUtil.isAccessible(buffer)).isFalse();
    assertThat(ByteBufUtil.isAccessible(slice)).isFalse();
    assertThat(buffer.toString()).contains("freed");
  }

  @ParameterizedTest
  @EnumSource(Level.class)
  void aSecondReleaseNamesBothStacksAndHurtsNobody(Level level) {
    ResourceLeakDetector.setLevel(level);
    ByteBuf buffer = allocateHere(100);
    long address = buffer.memoryAddress();
    releaseHere(buffer);
    pool.trim();
    ByteBuf next = allocator.directBuffer(100);
    assertThat(next.memoryAddress()).isEqualTo(address);

    assertExplained(buffer::release);
    assertExplained(() -> buffer.release(2));
    assertExplained(buffer::retain);
    assertExplained(() -> buffer.slice().release());
    assertThat(next.refCnt()).isOne();
    assertThat(pool.misuses().counts().get(Kind.SECOND_RELEASE)).isGreaterThanOrEqualTo(3);
    next.release();
  }

  @Test
  void tooManyReleasesAtOnceLeaveTheBufferAsItWas() {
    ByteBuf buffer = allocateHere(10).retain();
    assertThatThrownBy(() -> buffer.release(3))
        .isInstanceOf(IllegalReferenceCountException.class)
        .hasMessageContaining("allocateHere");
    assertThat(buffer.refCnt()).isEqualTo(2);
    buffer.release(2);
  }

  @Test
  void aPartOfACompositeThatWasReleasedBehindItsBackIsNamed() {
    ByteBuf part = allocateHere(100);
    CompositeByteBuf whole = Unpooled.compositeBuffer().addComponent(true, part.retainedSlice());
    part.release();
    releaseHere(part);
    assertExplained(() -> whole.getByte(0));
    assertThatThrownBy(whole::release).isInstanceOf(IllegalReferenceCountException.class);
  }

  @Test
  void nioBuffersThatWereKeptAreDead() {
    ByteBuf buffer = allocateHere(100);
    ByteBuffer view = buffer.nioBuffer();
    ByteBuffer internal = buffer.internalNioBuffer(0, 100);
    releaseHere(buffer);
    for (ByteBuffer kept : List.of(view, internal)) {
      assertThatThrownBy(() -> kept.get(0)).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> kept.put(0, (byte) 1)).isInstanceOf(IllegalStateException.class);
      BlockHistory history = pool.historyOf(MemorySegment.ofBuffer(kept));
      assertThat(history).isNotNull();
      assertNames(history.allocation(), "allocateHere");
      assertNames(history.releaseStack(), "releaseHere");
    }
  }

  @Test
  void aWriteBehindTheEndByNativeCodeIsFound() {
    ByteBuf buffer = allocateHere(100);
    AddressSpace.ALL.set(ValueLayout.JAVA_BYTE, buffer.memoryAddress() + 100, (byte) 1);
    releaseHere(buffer);

    Misuse found = pool.misuses().latest().getFirst();
    assertThat(found.kind()).isEqualTo(Kind.OVERRUN);
    assertNames(found.allocated(), "allocateHere");
    assertThat(pool.misuses().total()).isOne();
  }

  @Test
  void aBufferThatGrowsKeepsItsContentsAndLeavesNothingToItsOldViews() {
    UnaryOperator<ByteBuf> grow = buffer -> buffer.capacity(buffer.capacity() * 10);
    ByteBuf buffer = allocateHere(50).setLong(0, 42);
    for (int i = 0; i < 5; i++) {
      ByteBuffer before = buffer.nioBuffer(0, 8);
      assertThat(grow.apply(buffer)).isSameAs(buffer);
      assertThatThrownBy(() -> before.get(0)).isInstanceOf(IllegalStateException.class);
      assertThat(buffer.getLong(0)).isEqualTo(42);
      assertThat(feature.chargedBytes()).isEqualTo(buffer.capacity());
    }
    buffer.capacity(20);
    assertThat(buffer.getLong(0)).isEqualTo(42);
    releaseHere(buffer);
    assertThatThrownBy(() -> buffer.getByte(0))
        .isInstanceOf(IllegalReferenceCountException.class)
        .hasMessageContaining("releaseHere(HardenedBufferTest.java:");
    assertThat(pool.misuses().counts()).containsOnlyKeys(Kind.USE_AFTER_RELEASE);
  }

  @Test
  void aBufferOfASampleThatGrowsIsExplainedTo() {
    Pool sampled = Pool.create(PoolOptions.withLimit(16 << 20).withHardening(Hardening.oneIn(2)));
    WeirAllocator some = new WeirAllocator(sampled);
    ByteBuf buffer = some.directBuffer(64, 1 << 20);
    while (!buffer.getClass().getSimpleName().equals("HardenedByteBuf")) {
      buffer.release();
      buffer = some.directBuffer(64, 1 << 20);
    }
    ByteBuf hardened = buffer.capacity(100_000).setLong(99_000, 7);
    assertThat(hardened.getLong(99_000)).isEqualTo(7);
    releaseHere(hardened);
    assertThatThrownBy(() -> hardened.getLong(0))
        .isInstanceOf(IllegalReferenceCountException.class)
        .hasMessageContaining("aBufferOfASampleThatGrowsIsExplainedTo(")
        .hasMessageContaining("releaseHere(");
    assertThat(sampled.liveBlockBytes()).isZero();
    some.close();
    sampled.close();
  }

  @Test
  void aWrappedBlockIsExplainedToo() {
    ByteBuf buffer = allocator.wrap(pool.allocate(100, feature), 100, 1_000);
    assertThat(feature.chargedBytes()).isEqualTo(100);
    releaseHere(buffer);
    assertThatThrownBy(() -> buffer.getByte(0))
        .isInstanceOf(IllegalReferenceCountException.class)
        .hasMessageContaining("aWrappedBlockIsExplainedToo(");
  }

  @Test
  void channelsReadAndWriteHardenedBuffers() throws IOException {
    Pipe pipe = Pipe.open();
    ByteBuf from = allocateHere(1_000).setLong(500, 11);
    ByteBuf to = allocateHere(1_000);
    assertThat(from.readBytes(pipe.sink(), 1_000)).isEqualTo(1_000);
    assertThat(to.setBytes(0, pipe.source(), 1_000)).isEqualTo(1_000);
    assertThat(to.getLong(500)).isEqualTo(11);
    assertThat(ByteBufUtil.equals(from.readerIndex(0), to.readerIndex(0))).isTrue();
    releaseHere(from);
    assertExplained(() -> from.getBytes(0, pipe.sink(), 10));
    to.release();
    pipe.sink().close();
    pipe.source().close();
  }
}
