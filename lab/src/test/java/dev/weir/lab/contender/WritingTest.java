package dev.weir.lab.contender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WritingTest {
  private static final int BYTES = 10_000;

  @Test
  void aByteOfEachPageOrEveryByteIsWritten() {
    ByteBuf heap = PooledByteBufAllocator.DEFAULT.heapBuffer(BYTES + 1).setZero(0, BYTES + 1);
    Writing.PAGES.write(heap, BYTES);
    assertThat(writtenOf(heap)).containsExactly(0, 4096, 8192);
    Writing.BYTES.write(heap, BYTES);
    assertThat(writtenOf(heap)).isEqualTo(IntStream.range(0, BYTES).boxed().toList());
    heap.release();
  }

  @Test
  void memoryOutsideTheHeapIsWrittenLikewise() {
    ByteBuf direct = PooledByteBufAllocator.DEFAULT.directBuffer(BYTES + 1).setZero(0, BYTES + 1);
    long address = direct.memoryAddress();
    Writing.PAGES.write(address, BYTES);
    List<Long> pages = writtenOf(direct).stream().map(at -> (address + at) >> 12).toList();
    assertThat(pages)
        .doesNotHaveDuplicates()
        .hasSize((int) (((address + BYTES - 1) >> 12) - (address >> 12)) + 1);
    Writing.BYTES.write(address, BYTES);
    assertThat(writtenOf(direct)).isEqualTo(IntStream.range(0, BYTES).boxed().toList());
    direct.release();
  }

  @Test
  void anotherLabelIsRefused() {
    assertThat(Writing.of("bytes")).isSameAs(Writing.BYTES);
    assertThatThrownBy(() -> Writing.of("bits"))
        .hasMessageContaining("'bits'; there are pages, bytes");
  }

  private static List<Integer> writtenOf(ByteBuf buffer) {
    List<Integer> written = new ArrayList<>();
    byte[] bytes = ByteBufUtil.getBytes(buffer, 0, BYTES + 1);
    for (int at = 0; at < bytes.length; at++) {
      if (bytes[at] != 0) {
        written.add(at);
      }
    }
    return written;
  }
}
