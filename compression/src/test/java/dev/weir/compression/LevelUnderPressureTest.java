package dev.weir.compression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.brotli.BrotliCodec;
import dev.weir.compression.codec.Encoder;
import dev.weir.compression.gzip.GzipCodec;
import dev.weir.compression.zstd.SourceBound;
import dev.weir.compression.zstd.ZstdCodec;
import dev.weir.compression.zstd.ZstdLibrary;
import dev.weir.compression.zstd.ZstdProfile;
import dev.weir.memory.pressure.Pressure;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What pressure makes of a stream, by its bytes: those of the lowest level, whichever the coding.
 */
class LevelUnderPressureTest {
  private static final int LIMIT_BYTES = 16 << 20;
  private static final int TARGET_BYTES = 64 << 10;

  /** One whose length is not told, and one for which zstd has a small context without pressure. */
  private static final List<byte[]> CONTENTS =
      List.of(Texts.json(200_000, 1), Texts.json(16 << 10, 2));

  private final MemoryUnderTest memory = new MemoryUnderTest();
  private Compression compression;

  @BeforeEach
  void begin() {
    compression = Compression.create(memory.pool, memory.budget, CompressionOptions.DEFAULT);
  }

  @AfterEach
  void everythingIsGivenBack() {
    compression.close();
    memory.close();
  }

  private static long told(byte[] content) {
    return content.length > 16 << 10 ? -1 : content.length;
  }

  private byte[] encode(Encoder begun, byte[] content) {
    try (Encoder encoder = begun) {
      return Streams.encode(encoder, content, content.length, TARGET_BYTES, memory.allocator);
    }
  }

  private byte[] atTheLowestLevel(ContentCoding coding, byte[] content) {
    switch (coding) {
      case ZSTD -> {
        try (ZstdCodec codec = new ZstdCodec(ZstdLibrary.best(), memory.contexts, 0)) {
          SourceBound bound = told(content) < 0 ? SourceBound.NARROW : SourceBound.KIB_16;
          ZstdProfile lowest = new ZstdProfile(ZstdProfile.MIN_LEVEL, bound);
          return encode(codec.tryEncoder(lowest, told(content)), content);
        }
      }
      case GZIP -> {
        try (GzipCodec codec = new GzipCodec(memory.contexts, 0)) {
          return encode(codec.tryEncoder(GzipCodec.MIN_LEVEL), content);
        }
      }
      case BROTLI -> {
        return encode(
            new BrotliCodec(memory.contexts).tryEncoder(BrotliCodec.MIN_QUALITY), content);
      }
    }
    throw new AssertionError(coding);
  }

  @ParameterizedTest
  @EnumSource
  void pressureLowersTheLevel(ContentCoding coding) {
    List<byte[]> lowest = CONTENTS.stream().map(c -> atTheLowestLevel(coding, c)).toList();
    for (int i = 0; i < CONTENTS.size(); i++) {
      byte[] content = CONTENTS.get(i);
      byte[] full = encode(compression.tryEncoder(coding, told(content)), content);
      assertThat(full.length).as("without pressure").isLessThan(lowest.get(i).length);
    }

    compression.destroyIdle(Long.MAX_VALUE);
    memory.budget.setLimitBytes(LIMIT_BYTES);
    memory.budget.setSoftLimitBytes(0);
    assertThat(memory.budget.pressure()).isEqualTo(Pressure.HIGH);

    for (int i = 0; i < CONTENTS.size(); i++) {
      byte[] content = CONTENTS.get(i);
      long bytes = told(content);
      assertThat(encode(compression.tryEncoder(coding, bytes), content)).isEqualTo(lowest.get(i));
      assertThat(encode(compression.tryRequiredEncoder(coding, bytes), content))
          .as("for who takes it no other way")
          .isEqualTo(lowest.get(i));
    }
  }
}
