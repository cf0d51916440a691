package dev.weir.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.compression.codec.Decoder;
import dev.weir.compression.codec.Encoder;
import dev.weir.compression.codec.Step;
import dev.weir.compression.zstd.ZstdLibrary;
import io.netty.buffer.ByteBuf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ClosedCompressionTest {
  private static final byte[] CONTENT = Texts.json(1_000, 1);

  private static byte[] encode(Encoder encoder, MemoryUnderTest memory) {
    return Streams.encode(encoder, CONTENT, 100_000, 64 << 10, memory.allocator);
  }

  @ParameterizedTest
  @EnumSource
  void noStreamIsBegunThen(ContentCoding coding) {
    try (MemoryUnderTest memory = new MemoryUnderTest()) {
      Compression compression = memory.compression(ZstdLibrary.best(), CompressionOptions.DEFAULT);
      byte[] stream;
      try (Encoder encoder = compression.tryEncoder(coding, -1)) {
        stream = encode(encoder, memory);
      }
      compression.close();
      assertThatThrownBy(() -> compression.tryEncoder(coding, -1))
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(
              () -> {
                try (Decoder decoder = compression.decoder(coding)) {
                  Streams.decode(decoder, stream, 1_000, 1_000, memory.allocator);
                }
              })
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatHasBegunGoesOn(ContentCoding coding) {
    try (MemoryUnderTest memory = new MemoryUnderTest()) {
      Compression compression = memory.compression(ZstdLibrary.best(), CompressionOptions.DEFAULT);
      ByteBuf source = memory.allocator.directBuffer(CONTENT.length).writeBytes(CONTENT);
      ByteBuf target = memory.allocator.directBuffer(64 << 10);
      try (Encoder encoder = compression.tryEncoder(coding, -1)) {
        compression.close();
        assertThat(encoder.encode(source, target, Step.END)).isTrue();
        assertThat(target.isReadable()).isTrue();
      }
      source.release();
      target.release();
    }
  }
}
