package dev.weir.compression.zstd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.compression.MemoryUnderTest;
import dev.weir.compression.Texts;
import org.junit.jupiter.api.Test;

/** What a dictionary takes of the pool, with calls of the test's own in the place of zstd's. */
class SystemZstdDictionaryTest {
  private static final ZstdDictionary DICTIONARY = ZstdDictionary.of(Texts.json(10_000, 1));

  @Test
  void aLibraryThatFailsToFreeItKeepsNothingOfThePool() {
    try (MemoryUnderTest memory = new MemoryUnderTest()) {
      SystemZstdDictionary dictionary =
          SystemZstdDictionary.tryCreate(
              DICTIONARY,
              100_000,
              memory.contexts,
              address -> {
                throw new OutOfMemoryError("made to fail");
              },
              content -> 1);
      SystemZstdMemory workspace = SystemZstdMemory.tryAllocate(50_000, memory.contexts);
      assertThat(memory.budget.chargedBytes()).isGreaterThan(160_000);
      assertThatThrownBy(() -> workspace.release(dictionary)).isInstanceOf(OutOfMemoryError.class);
    }
  }
}
