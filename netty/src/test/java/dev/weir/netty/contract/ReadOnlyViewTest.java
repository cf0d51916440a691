package dev.weir.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.netty.PoolUnderTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import java.nio.channels.ScatteringByteChannel;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Read-only views of Weir's buffers: what Netty's own test of such views checks. */
class ReadOnlyViewTest {
  @RegisterExtension static final PoolUnderTest MEMORY = new PoolUnderTest();

  private final ByteBuf buffer =
      MEMORY.allocator().directBuffer(16).writeLong(0x0102030405060708L).writeLong(9);
  private final ByteBuf view = buffer.asReadOnly();

  @AfterEach
  void releaseBuffer() {
    assertThat(view.release()).isTrue();
    assertThat(buffer.refCnt()).isZero();
  }

  @Test
  void isReadOnlyAndItsOwnReadOnlyView() {
    assertThat(view.isReadOnly()).isTrue();
    assertThat(view.asReadOnly()).isSameAs(view);
    assertThat(view.unwrap()).isSameAs(buffer);
    assertThat(view.isDirect()).isTrue();
  }

  @Test
  @SuppressWarnings("deprecation")
  void hasTheByteOrderOfItsBuffer() {
    assertThat(view.order()).isSameAs(ByteOrder.BIG_ENDIAN);
    ByteBuf little = Unpooled.unmodifiableBuffer(buffer.order(ByteOrder.LITTLE_ENDIAN));
    assertThat(little.order()).isSameAs(ByteOrder.LITTLE_ENDIAN);
    assertThat(little.getInt(0)).isEqualTo(0x04030201);
  }

  @Test
  void whatIsDerivedFromItIsReadOnly() {
    assertThat(
            Stream.of(
                view.duplicate(), view.slice(), view.slice(0, 1), view.duplicate().slice(1, 2)))
        .allMatch(ByteBuf::isReadOnly);
  }

  @Test
  void aCopyIsWritable() {
    ByteBuf copy = view.copy();
    assertThat(copy.isReadOnly()).isFalse();
    copy.setByte(0, 99);
    assertThat(view.getByte(0)).isEqualTo((byte) 1);
    copy.release();
  }

  @Test
  void readsGoToTheBuffer() throws IOException {
    assertThat(view.getByte(7)).isEqualTo((byte) 8);
    assertThat(view.getShort(0)).isEqualTo((short) 0x0102);
    assertThat(view.getUnsignedMedium(1)).isEqualTo(0x020304);
    assertThat(view.getInt(2)).isEqualTo(0x03040506);
    assertThat(view.getLong(8)).isEqualTo(9);
    assertThat(view.capacity()).isEqualTo(16);

    byte[] array = new byte[4];
    view.getBytes(2, array, 1, 3);
    assertThat(array).containsExactly(0, 3, 4, 5);
    ByteBuffer heap = ByteBuffer.allocate(3);
    view.getBytes(2, heap);
    assertThat(heap.array()).containsExactly(3, 4, 5);
    ByteBuf target = MEMORY.allocator().directBuffer(8).writeZero(8);
    view.getBytes(2, target, 1, 3);
    assertThat(ByteBufUtil.hexDump(target)).isEqualTo("0003040500000000");
    target.release();
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    view.getBytes(2, stream, 3);
    assertThat(stream.toByteArray()).containsExactly(3, 4, 5);

    ByteBuffer nio = view.nioBuffer(2, 3);
    assertThat(nio.isReadOnly()).isTrue();
    assertThat(nio.remaining()).isEqualTo(3);
  }

  static Stream<Consumer<ByteBuf>> writes() {
    return Stream.of(
        view -> view.discardReadBytes(),
        view -> view.setByte(0, 0),
        view -> view.setShort(0, 0),
        view -> view.setShortLE(0, 0),
        view -> view.setMedium(0, 0),
        view -> view.setMediumLE(0, 0),
        view -> view.setInt(0, 0),
        view -> view.setIntLE(0, 0),
        view -> view.setLong(0, 0),
        view -> view.setLongLE(0, 0),
        view -> view.setBytes(0, new byte[1], 0, 1),
        view -> view.setBytes(0, Unpooled.EMPTY_BUFFER, 0, 0),
        view -> view.setBytes(0, ByteBuffer.allocate(1)),
        view -> unchecked(() -> view.setBytes(0, new ByteArrayInputStream(new byte[1]), 1)),
        view -> unchecked(() -> view.setBytes(0, (ScatteringByteChannel) null, 1)),
        view -> view.capacity(8));
  }

  @ParameterizedTest
  @MethodSource("writes")
  void writesAreRejected(Consumer<ByteBuf> write) {
    assertThatThrownBy(() -> write.accept(view)).isInstanceOf(UnsupportedOperationException.class);
    assertThat(view.getLong(0)).isEqualTo(0x0102030405060708L);
  }

  @Test
  void isNeverATargetOfACopy() {
    ByteBuf source = MEMORY.allocator().directBuffer(4).writeInt(-1);
    assertThatThrownBy(() -> source.getBytes(0, view, 0, 4))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> source.getBytes(0, ByteBuffer.allocateDirect(4).asReadOnlyBuffer()))
        .isInstanceOf(ReadOnlyBufferException.class);
    assertThat(view.getInt(0)).isEqualTo(0x01020304);
    source.release();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void hasNoRoomToWrite(boolean force) {
    view.clear();
    assertThat(view.isWritable()).isFalse();
    assertThat(view.isWritable(1)).isFalse();
    assertThat(ByteBufUtil.ensureWritableSuccess(view.ensureWritable(1, force))).isFalse();
    assertThatThrownBy(() -> view.ensureWritable(1)).isInstanceOf(ReadOnlyBufferException.class);
  }

  @Test
  void aDuplicateOfASliceIsAsLongAsTheSlice() {
    for (ByteBuf slice :
        new ByteBuf[] {view.slice(), view.slice(0, 14), view.retainedSlice(0, 14)}) {
      assertThat(slice.duplicate().capacity()).isEqualTo(slice.capacity());
      ByteBuf duplicate = slice.retainedDuplicate();
      assertThat(duplicate.capacity()).isEqualTo(slice.capacity());
      duplicate.release();
    }
    view.release();
  }

  private static void unchecked(IoAction action) {
    try {
      action.run();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private interface IoAction {
    void run() throws IOException;
  }
}
