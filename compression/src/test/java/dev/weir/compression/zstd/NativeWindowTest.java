package dev.weir.compression.zstd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.compression.MemoryUnderTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class NativeWindowTest {
  private final NativeWindow window = new NativeWindow();

  private ByteBuffer over(ByteBuf buffer, int index, int bytes) {
    window.show(buffer, index, bytes);
    return window.view();
  }

  private static String text(ByteBuffer view) {
    return StandardCharsets.US_ASCII.decode(view).toString();
  }

  private static ByteBuf write(ByteBuf buffer, String text) {
    return buffer.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
  }

  @Test
  void buffersOfOnePoolHaveOneView() {
    MemoryUnderTest memory = new MemoryUnderTest();
    ByteBuf first = write(memory.allocator.directBuffer(16), "0123456789");
    ByteBuf second = write(memory.allocator.directBuffer(1 << 10), "abcdefghij");
    ByteBuffer view = over(first, 2, 5);
    assertThat(view.remaining()).isEqualTo(5);
    assertThat(text(view)).isEqualTo("23456");
    assertThat(over(second, 8, 2)).isSameAs(view);
    assertThat(window.passedBytes()).isZero();
    view.get();
    assertThat(window.passedBytes()).isEqualTo(1);
    assertThat(text(view.position(view.position() - 1))).isEqualTo("ij");
    assertThat(over(first.slice(3, 7), 0, 7)).isSameAs(view);
    assertThat(text(view)).isEqualTo("3456789");
    over(second, 0, 3).put((byte) 'X').put((byte) 'Y');
    assertThat(second.toString(StandardCharsets.US_ASCII)).isEqualTo("XYcdefghij");
    first.release();
    second.release();
    memory.close();
  }

  @Test
  void buffersThatLieElsewhereAreSeenToo() {
    MemoryUnderTest memory = new MemoryUnderTest();
    ByteBuf pooled = write(memory.allocator.directBuffer(16), "pooled");
    ByteBuf other = write(Unpooled.directBuffer(16), "unpooled");
    for (int i = 0; i < 3; i++) {
      assertThat(text(over(pooled, 0, 6))).isEqualTo("pooled");
      assertThat(text(over(other, 2, 6))).isEqualTo("pooled");
      ByteBuffer before = window.view();
      assertThat(over(Unpooled.EMPTY_BUFFER, 0, 0).hasRemaining()).isFalse();
      assertThat(window.view()).isSameAs(before);
    }
    pooled.release();
    other.release();
    memory.close();
  }

  @Test
  void whatIsNotDirectIsRefused() {
    ByteBuf heap = Unpooled.buffer(8);
    assertThatThrownBy(() -> over(heap, 0, 0)).isInstanceOf(IllegalArgumentException.class);
    heap.release();
  }
}
