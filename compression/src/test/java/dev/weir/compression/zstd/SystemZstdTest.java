package dev.weir.compression.zstd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.compression.codec.Encoder;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The system's library. Skipped on systems without libzstd.so.1: Linux that is not Debian, say. */
class SystemZstdTest extends ZstdContract {
  @BeforeAll
  static void theSystemHasOne() {
    assumeTrue(SystemZstd.find().isPresent(), "this system has no libzstd.so.1");
  }

  @Override
  ZstdLibrary library() {
    return SystemZstd.find().orElseThrow();
  }

  @Test
  void theSystemsLibraryIsUsedWhereItIsThere() {
    assertThat(ZstdLibrary.best()).isSameAs(library());
  }

  @Test
  void contextsLieInThePool() {
    Encoder encoder = codec.tryEncoder(LEVEL_3, -1);
    assertThat(memory.pool.liveBlockBytes()).isBetween(3L << 20, 5L << 20);
    encoder.close();
  }

  @Test
  void whatZstdJniIsChargedIsNoLessThanWhatTheLibrarySays() {
    for (int level = ZstdProfile.MIN_LEVEL; level <= ZstdProfile.MAX_LEVEL; level++) {
      for (SourceBound source : SourceBound.values()) {
        ZstdProfile profile = new ZstdProfile(level, source);
        var context = library().tryNewEncoder(profile, memory.contexts);
        assertThat(JniZstdSizes.encoderBytes(profile))
            .as("%s", profile)
            .isBetween(context.bytes(), 3 * context.bytes());
        context.destroy();
      }
    }
    for (int log = 16; log <= ZstdDecoderProfile.MAX_WINDOW_LOG; log++) {
      ZstdDecoderProfile profile = new ZstdDecoderProfile(log, null);
      var context = library().tryNewDecoder(profile, memory.contexts);
      assertThat(JniZstdSizes.decoderBytes(profile))
          .isBetween(context.bytes(), 3 * context.bytes());
      context.destroy();
    }
  }

  @Test
  void whatZstdJniIsChargedForADictionaryIsNoLessThanWhatTheLibrarySays() {
    for (int level = ZstdProfile.MIN_LEVEL; level <= ZstdProfile.MAX_LEVEL; level++) {
      long bare = JniZstdSizes.encoderBytes(new ZstdProfile(level, SourceBound.ANY));
      for (int bytes : new int[] {8, 1_000, 16_384, 20_000, 112_640, 131_000, 1 << 20, 8 << 20}) {
        ZstdDictionary dictionary = ZstdDictionary.of(new byte[bytes]);
        long charged =
            JniZstdSizes.encoderBytes(new ZstdProfile(level, SourceBound.ANY, dictionary)) - bare;
        long taken =
            bytes + ZstdCalls.call(ZstdFunction.ESTIMATE_ENCODER_DICTIONARY, (long) bytes, level);
        assertThat(charged).as("%,d B at level %d", bytes, level).isBetween(taken, 5 * taken);
      }
    }
  }
}
