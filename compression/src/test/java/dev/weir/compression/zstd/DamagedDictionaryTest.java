package dev.weir.compression.zstd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.compression.Compression;
import dev.weir.compression.CompressionOptions;
import dev.weir.compression.MemoryUnderTest;
import dev.weir.compression.Texts;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A dictionary that no library can read is refused beforehand, not with each stream. */
class DamagedDictionaryTest {
  private static final byte[] TRAINED = Texts.dictionary(300);

  private static Stream<ZstdDictionary> damaged() {
    byte[] garbage = new byte[100_000];
    new Random(1).nextBytes(garbage);
    System.arraycopy(TRAINED, 0, garbage, 0, 8);
    return Stream.of(garbage, Arrays.copyOf(TRAINED, 8), Arrays.copyOf(TRAINED, 40))
        .map(ZstdDictionary::of);
  }

  @ParameterizedTest
  @EnumSource
  void isRefusedWhereItIsGiven(EachZstd zstd) {
    ZstdLibrary library = zstd.library();
    try (MemoryUnderTest memory = new MemoryUnderTest()) {
      damaged()
          .forEach(dictionary ->
              Stream.of(
                      CompressionOptions.DEFAULT.withDictionaries(dictionary, null),
                      CompressionOptions.DEFAULT.withDictionaries(null, dictionary))
                  .forEach(options ->
                      assertThatThrownBy(() -> memory.compression(library, options))
                          .isInstanceOf(IllegalArgumentException.class)
                          .hasMessageContaining(dictionary + ": it is damaged")));
    }
  }

  @ParameterizedTest
  @EnumSource
  void othersAreTaken(EachZstd zstd) {
    ZstdLibrary library = zstd.library();
    try (MemoryUnderTest memory = new MemoryUnderTest()) {
      for (byte[] content : new byte[][] {TRAINED, Texts.json(10_000, 1), new byte[8]}) {
        ZstdDictionary dictionary = ZstdDictionary.of(content);
        try (Compression compression =
            memory.compression(
                library, CompressionOptions.DEFAULT.withDictionaries(dictionary, dictionary))) {
          assertThat(compression.budget().chargedBytes()).isZero();
        }
      }
    }
  }
}
