package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.codec.Encoder;
import dev.weir.compression.codec.Step;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LargestContentTest {
  private static final int BYTES = 2_140_000_000;

  /** Of a file with a hole, which neither the disk nor memory has room for. */
  @Test
  void aLastContentMayBeAsLongAsABufferCanBe(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("hole");
    try (Arena arena = Arena.ofConfined();
        FileChannel hole =
            FileChannel.open(
                file,
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.SPARSE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
      ByteBuf content =
          Unpooled.wrappedBuffer(
              hole.map(FileChannel.MapMode.READ_WRITE, 0, BYTES, arena).asByteBuffer());
      assertThat(content.readableBytes()).isEqualTo(BYTES);
      try (EncodedContent encoded =
          new EncodedContent(new Swallowing(), UnpooledByteBufAllocator.DEFAULT, 1 << 10, -1)) {
        ByteBuf output = encoded.encode(content, Step.END);
        assertThat(output.readableBytes()).isEqualTo(1);
        assertThat(content.isReadable()).isFalse();
        output.release();
      }
      content.release();
    }
  }

  /** Makes one byte of whatever it gets. */
  private static final class Swallowing implements Encoder {
    @Override
    public boolean encode(ByteBuf source, ByteBuf target, Step step) {
      assertThat(target.capacity()).isEqualTo(1 << 10);
      source.skipBytes(source.readableBytes());
      target.writeByte(1);
      return true;
    }

    @Override
    public void close() {}
  }
}
