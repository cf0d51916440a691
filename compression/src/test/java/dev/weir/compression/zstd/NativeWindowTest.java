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
    ByteBuffer view = window.over(first, 2, 5);
    assertThat(view.remaining()).isEqualTo(5);
    assertThat(text(view)).isEqualTo("23456");
    assertThat(window.over(second, 8, 2)).isSameAs(view);
    assertThat(text(view)).isEqualTo("ij");
    assertThat(window.over(first.slice(3, 7), 0, 7)).isSameAs(view);
    assertThat(text(view)).isEqualTo("3456789");
    window.over(second, 0, 3).put((byte) 'X').put((byte) 'Y');
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
      assertThat(text(window.over(pooled, 0, 6))).isEqualTo("pooled");
      assertThat(text(window.over(other, 2, 6))).isEqualTo("pooled");
      assertThat(window.over(Unpooled.EMPTY_BUFFER, 0, 0).hasRemaining()).isFalse();
    }
    pooled.release();
    other.release();
    memory.close();
  }

  @Test
  void whatIsNotDirectIsRefused() {
    ByteBuf heap = Unpooled.buffer(8);
    assertThatThrownBy(() -> window.over(heap, 0, 0)).isInstanceOf(IllegalArgumentException.class);
    heap.release();
  }
}
