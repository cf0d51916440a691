package dev.weir.compression.zstd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import dev.weir.compression.MemoryUnderTest;
import dev.weir.compression.Streams;
import dev.weir.compression.Texts;
import dev.weir.compression.codec.CodecException;
import dev.weir.compression.codec.CorruptInputException;
import dev.weir.compression.codec.Decoder;
import dev.weir.compression.codec.Encoder;
import dev.weir.compression.codec.Step;
import dev.weir.compression.context.ContextMemory;
import dev.weir.memory.Block;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What holds of zstd, whichever library does the work. */
@Timeout(120)
abstract class ZstdContract {
  static final long MAX_IDLE_BYTES = 64 << 20;
  static final ZstdProfile LEVEL_3 = new ZstdProfile(3, SourceBound.ANY);

  MemoryUnderTest memory;
  ZstdCodec codec;

  abstract ZstdLibrary library();

  @BeforeEach
  void begin() {
    memory = new MemoryUnderTest();
    codec = new ZstdCodec(library(), memory.contexts, MAX_IDLE_BYTES);
  }

  @AfterEach
  void everythingIsGivenBack() {
    codec.close();
    memory.close();
  }

  byte[] encode(ZstdProfile profile, long sourceBytes, byte[] content, int piece, int target) {
    try (Encoder encoder = codec.tryEncoder(profile, sourceBytes)) {
      return Streams.encode(encoder, content, piece, target, memory.allocator);
    }
  }

  byte[] decode(byte[] stream, int piece, int target) {
    try (Decoder decoder = codec.decoder(null)) {
      return Streams.decode(decoder, stream, piece, target, memory.allocator);
    }
  }

  /** Another implementation's view. */
  static byte[] reference(byte[] frame, int bytes) {
    return Zstd.decompress(frame, bytes);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 100, 20_000, 200_000, 2_000_000})
  void whatWasCompressedInPiecesIsOneFrameAndComesBack(int bytes) {
    byte[] content = Texts.json(bytes, 1);
    for (int piece : new int[] {Math.max(bytes, 1), 1 + bytes / 7}) {
      for (int target : new int[] {64, 64 << 10}) {
        byte[] frame = encode(LEVEL_3, -1, content, piece, target);
        assertThat(Zstd.findFrameCompressedSize(frame)).isEqualTo(frame.length);
        assertThat(decode(frame, 1 + frame.length / 3, 1000)).isEqualTo(content);
        assertThat(decode(frame, frame.length, 64 << 10)).isEqualTo(content);
      }
    }
  }

  @Test
  void aPledgedLengthIsToldInTheFrame() {
    byte[] content = Texts.json(20_000, 2);
    byte[] frame = encode(profile(3, content.length), content.length, content, 20_000, 32 << 10);
    assertThat(Zstd.getFrameContentSize(frame)).isEqualTo(20_000);
    assertThat(reference(frame, 20_000)).isEqualTo(content);
  }

  static ZstdProfile profile(int level, long bytes) {
    return new ZstdProfile(level, SourceBound.of(bytes));
  }

  @Test
  void everyLevelHasRoomForEverySourceWithinItsBound() {
    for (int level = ZstdProfile.MIN_LEVEL; level <= ZstdProfile.MAX_LEVEL; level++) {
      for (int bytes :
          new int[] {0, 1, 5_000, 16_384, 16_385, 131_072, 131_073, 262_144, 300_000}) {
        byte[] content = Texts.json(bytes, level);
        byte[] frame = encode(profile(level, bytes), bytes, content, bytes + 1, 32 << 10);
        assertThat(reference(frame, bytes)).as("level %d", level).isEqualTo(content);
        assertThat(decode(frame, frame.length, 64 << 10)).isEqualTo(content);
      }
      codec.destroyIdle(Long.MAX_VALUE);
    }
  }

  @Test
  void aNarrowContextTakesALotLessAndAnyLength() {
    byte[] content = Texts.json(1_000_000, 3);
    ZstdProfile narrow = new ZstdProfile(9, SourceBound.NARROW);
    byte[] frame = encode(narrow, -1, content, 10_000, 32 << 10);
    assertThat(reference(frame, content.length)).isEqualTo(content);
    assertThat(codec.idleBytes()).isLessThan(400 << 10);
    assertThat(ZstdFrame.parse(i -> frame[i] & 0xff, 18).windowBytes()).isEqualTo(32 << 10);
  }

  @Test
  void aFlushLetsTheOtherSideReadAllSoFar() {
    byte[] content = Texts.json(10_000, 4);
    try (Encoder encoder = codec.tryEncoder(LEVEL_3, -1);
        Decoder decoder = codec.decoder(null)) {
      ByteBuf target = memory.allocator.directBuffer(20_000, 20_000);
      for (int part = 0; part < 10; part++) {
        byte[] flushed =
            Streams.step(encoder, content, part * 1000, 1000, Step.FLUSH, 4096, memory.allocator);
        ByteBuf source = memory.allocator.directBuffer().writeBytes(flushed);
        assertThat(decoder.decode(source, target)).isTrue();
        assertThat(target.readableBytes()).isEqualTo((part + 1) * 1000);
        source.release();
      }
      assertThatThrownBy(decoder::finish).isInstanceOf(CorruptInputException.class);
      byte[] rest = Streams.step(encoder, content, 0, 0, Step.END, 4096, memory.allocator);
      ByteBuf source = memory.allocator.directBuffer().writeBytes(rest);
      assertThat(decoder.decode(source, target)).isTrue();
      decoder.finish();
      byte[] back = new byte[10_000];
      target.readBytes(back);
      assertThat(back).isEqualTo(content);
      source.release();
      target.release();
    }
  }

  /** Whatever the stream before in its context has come to. */
  @Test
  void aLengthIsThatOfOneStreamAndKeptTo() {
    byte[] content = Texts.json(20_000, 7);
    byte[] whole = encode(LEVEL_3, 20_000, content, 20_000, 32 << 10);
    byte[] pieces = encode(LEVEL_3, 20_000, content, 1_000, 32 << 10);
    byte[] untold = encode(LEVEL_3, -1, content, 1_000, 32 << 10);
    assertThat(Zstd.getFrameContentSize(whole)).isEqualTo(20_000);
    assertThat(Zstd.getFrameContentSize(pieces)).isEqualTo(20_000);
    assertThat(Zstd.getFrameContentSize(untold)).isLessThan(0);
    for (int told : new int[] {-1, 19_999, 20_001}) {
      codec.tryEncoder(LEVEL_3, told).close();
      assertThat(encode(LEVEL_3, -1, content, 1_000, 32 << 10)).isEqualTo(untold);
      try (Encoder encoder = codec.tryEncoder(LEVEL_3, told)) {
        Streams.step(encoder, content, 0, 100, Step.TAKE, 4096, memory.allocator);
      }
      assertThat(encode(LEVEL_3, 20_000, content, 20_000, 32 << 10)).isEqualTo(whole);
      if (told >= 0) {
        assertThatThrownBy(() -> encode(LEVEL_3, told, content, 1_000, 32 << 10))
            .isInstanceOf(CodecException.class);
      }
      assertThat(encode(LEVEL_3, 20_000, content, 1_000, 32 << 10)).isEqualTo(pieces);
    }
  }

  @Test
  void aStreamThatWasBrokenOffLeavesNothingForTheNext() {
    byte[] content = Texts.json(50_000, 5);
    byte[] whole = encode(LEVEL_3, -1, content, 50_000, 64 << 10);
    try (Encoder encoder = codec.tryEncoder(LEVEL_3, -1)) {
      Streams.step(encoder, Texts.json(200_000, 6), 0, 200_000, Step.TAKE, 4096, memory.allocator);
    }
    try (Decoder decoder = codec.decoder(null)) {
      ByteBuf half = memory.allocator.directBuffer().writeBytes(whole, 0, whole.length / 2);
      ByteBuf target = memory.allocator.directBuffer(64 << 10);
      decoder.decode(half, target);
      half.release();
      target.release();
    }
    assertThat(encode(LEVEL_3, -1, content, 50_000, 64 << 10)).isEqualTo(whole);
    assertThat(decode(whole, whole.length, 64 << 10)).isEqualTo(content);
  }

  @Test
  void framesFollowOneAnotherWithSkippableOnesBetween() {
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (int bytes : new int[] {10, 300_000, 0, 5_000}) {
      byte[] part = Texts.json(bytes, bytes);
      content.writeBytes(part);
      stream.writeBytes(encode(profile(3, bytes), bytes, part, bytes + 1, 32 << 10));
      stream.writeBytes(new byte[] {0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3});
    }
    byte[] all = stream.toByteArray();
    for (int piece : new int[] {1, 2, 17, all.length}) {
      assertThat(decode(all, piece, 10_000)).isEqualTo(content.toByteArray());
    }
  }

  @Test
  void noInputIsNoContent() {
    assertThat(decode(new byte[0], 1, 100)).isEmpty();
  }

  @Test
  void everyTruncationIsFound() {
    byte[] frame = encode(LEVEL_3, -1, Texts.json(3_000, 7), 3_000, 32 << 10);
    for (int bytes = 1; bytes < frame.length; bytes++) {
      byte[] part = Arrays.copyOf(frame, bytes);
      assertThatThrownBy(() -> decode(part, 100, 10_000)).isInstanceOf(CorruptInputException.class);
    }
  }

  @Test
  void whatFollowsAFrameAndIsNoneIsRefused() {
    byte[] frame = encode(LEVEL_3, -1, Texts.json(100, 8), 100, 1000);
    byte[] longer = Arrays.copyOf(frame, frame.length + 1);
    assertThatThrownBy(() -> decode(longer, longer.length, 1000))
        .isInstanceOf(CorruptInputException.class)
        .hasMessageContaining("no frame where one has to begin");
  }

  @Test
  void aWrongLengthIsFoundAlsoWhereTheLastBlockIsEmpty() {
    byte[] frame = {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd, 0x20, 0x40, 1, 0, 0};
    for (int piece : new int[] {1, frame.length}) {
      assertThatThrownBy(() -> decode(frame, piece, 1000))
          .isInstanceOf(CorruptInputException.class);
    }
  }

  @Test
  void damageIsFoundOrHarmless() {
    byte[] content = Texts.json(20_000, 9);
    byte[] frame = encode(LEVEL_3, -1, content, 20_000, 32 << 10);
    SplittableRandom random = new SplittableRandom(10);
    int refused = 0;
    for (int round = 0; round < 2_000; round++) {
      byte[] damaged = frame.clone();
      damaged[random.nextInt(frame.length)] ^= (byte) (1 << random.nextInt(8));
      try {
        decode(damaged, 1 + random.nextInt(frame.length), 1 + random.nextInt(10_000));
      } catch (CorruptInputException found) {
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(100);
    assertThat(decode(frame, frame.length, 1000)).isEqualTo(content);
  }

  @Test
  void aWindowOfMoreThanEightMebibytesIsRefusedBeforeAnyMemoryIsTaken() {
    byte[] frame = {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd, 0, (byte) (14 << 3), 1, 0, 0};
    assertThatThrownBy(() -> decode(frame, frame.length, 1000))
        .isInstanceOf(CorruptInputException.class)
        .hasMessageContaining("a window of 16,777,216 bytes");
    assertThat(codec.idleBytes()).isZero();
  }

  /** To wait for room would be in vain, so a sender is not asked to come again. */
  @Test
  void aWindowThatTheBudgetNeverHasRoomForIsRefusedForGood() {
    byte[] frame = {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd, 0, (byte) (11 << 3), 1, 0, 0};
    Budget small = memory.budget.child("small", 2 << 20);
    ContextMemory within = new ContextMemory(memory.pool, small);
    try (ZstdCodec limited = new ZstdCodec(library(), within, 0);
        Decoder decoder = limited.decoder(/* dictionary= */ null)) {
      assertThatThrownBy(() -> Streams.decode(decoder, frame, frame.length, 1000, memory.allocator))
          .isInstanceOf(CorruptInputException.class)
          .hasMessageContaining("a window of 2,097,152 bytes")
          .hasMessageContaining("compression/small' allows 2,097,152");
    }
    small.setLimitBytes(4 << 20);
    Block taken = memory.pool.allocate(2 << 20, small);
    try (ZstdCodec limited = new ZstdCodec(library(), within, 0);
        Decoder decoder = limited.decoder(/* dictionary= */ null)) {
      assertThatThrownBy(() -> Streams.decode(decoder, frame, frame.length, 1000, memory.allocator))
          .as("room for another time")
          .isInstanceOf(BudgetExceededError.class);
    }
    taken.release();
    small.close();
  }

  /** Its dictionary has to fit in beside it. */
  @Test
  void aWindowThatTheBudgetNeverHasRoomForBesideADictionaryIsRefusedForGood() {
    byte[] frame = {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd, 0, 0, 1, 0, 0};
    ZstdDictionary dictionary = ZstdDictionary.of(Texts.noise(1 << 20, 1));
    long alone = library().decoderBytes(ZstdDecoderProfile.forWindow(1, /* dictionary= */ null));
    Budget small = memory.budget.child("small", alone + (512 << 10));
    ContextMemory within = new ContextMemory(memory.pool, small);
    try (ZstdCodec limited = new ZstdCodec(library(), within, 0);
        Decoder decoder = limited.decoder(dictionary)) {
      assertThatThrownBy(() -> Streams.decode(decoder, frame, frame.length, 1000, memory.allocator))
          .isInstanceOf(CorruptInputException.class)
          .hasMessageContaining("a window of 1,024 bytes");
    }
    small.close();
  }

  @Test
  void dictionariesWorkInBothDirections() {
    ZstdDictionary dictionary = ZstdDictionary.of(Texts.dictionary(300));
    byte[] content = Texts.json(300, 11);
    byte[] without = encode(LEVEL_3, -1, content, 300, 1000);
    for (int level : new int[] {1, 3, 9, 19}) {
      for (long pledged : new long[] {-1, 300}) {
        ZstdProfile profile = new ZstdProfile(level, SourceBound.of(pledged), dictionary);
        byte[] frame = encode(profile, pledged, content, 300, 1000);
        assertThat(frame.length).isLessThan(without.length * 3 / 4);
        try (ZstdDecompressCtx context = new ZstdDecompressCtx()) {
          context.loadDict(dictionary.content());
          assertThat(context.decompress(frame, 300)).isEqualTo(content);
        }
        try (Decoder decoder = codec.decoder(dictionary)) {
          assertThat(Streams.decode(decoder, frame, 50, 100, memory.allocator)).isEqualTo(content);
        }
        assertThatThrownBy(() -> decode(frame, frame.length, 1000))
            .isInstanceOf(CorruptInputException.class)
            .hasMessageContaining("dictionary " + dictionary.id() + " is needed (known: none)");
      }
      codec.destroyIdle(Long.MAX_VALUE);
    }
  }

  @Test
  void theSizeIsThatOfOneStreamingFrame() {
    for (int bytes : new int[] {20_000, 200_000, 2_000_000}) {
      byte[] content = Texts.json(bytes, 12);
      byte[] frame = encode(LEVEL_3, -1, content, 1024, 64 << 10);
      try (ZstdCompressCtx context = new ZstdCompressCtx()) {
        context.setLevel(3);
        ByteBuf source = Unpooled.directBuffer(bytes).writeBytes(content);
        ByteBuf target = Unpooled.directBuffer(bytes + 1000);
        var out = target.nioBuffer(0, target.capacity());
        assertThat(
                context.compressDirectByteBufferStream(
                    out, source.nioBuffer(), com.github.luben.zstd.EndDirective.END))
            .isTrue();
        assertThat(frame.length).isLessThanOrEqualTo(out.position() + out.position() / 500);
      }
    }
  }

  @Test
  void contextsAreUsedAgainAndChargedAsLongAsTheyLive() {
    byte[] content = Texts.json(1_000, 13);
    encode(LEVEL_3, -1, content, 1_000, 1_000);
    long charged = memory.budget.chargedBytes();
    assertThat(charged).isBetween(3L << 20, 5L << 20).isGreaterThanOrEqualTo(codec.idleBytes());
    for (int i = 0; i < 100; i++) {
      encode(LEVEL_3, -1, content, 1_000, 1_000);
    }
    assertThat(memory.budget.chargedBytes()).isEqualTo(charged);
    assertThat(codec.destroyIdle(1)).isEqualTo(charged);
    memory.assertNothingHeld();
  }

  @Test
  void aFullBudgetMakesNoContext() {
    memory.budget.setLimitBytes(2 << 20);
    Block taken = memory.pool.allocate(1 << 20, memory.budget);
    assertThat(codec.tryEncoder(LEVEL_3, -1)).isNull();
    assertThat(codec.tryEncoder(new ZstdProfile(3, SourceBound.NARROW), -1))
        .isNotNull()
        .satisfies(Encoder::close);
    codec.destroyIdle(Long.MAX_VALUE);
    byte[] frame;
    try (ZstdCompressCtx context = new ZstdCompressCtx()) {
      context.setLevel(3);
      frame = context.compress(Texts.json(1_000_000, 14));
    }
    assertThatThrownBy(() -> decode(frame, frame.length, 1000))
        .isInstanceOf(BudgetExceededError.class);
    taken.release();
  }

  @Test
  void whatIsClosedTwiceGoesBackOnce() {
    Encoder first = codec.tryEncoder(LEVEL_3, -1);
    first.close();
    first.close();
    try (Encoder second = codec.tryEncoder(LEVEL_3, -1);
        Encoder third = codec.tryEncoder(LEVEL_3, -1)) {
      first.close();
      byte[] content = Texts.json(500, 15);
      byte[] one = Streams.encode(second, content, 500, 1000, memory.allocator);
      byte[] other = Streams.encode(third, content, 500, 1000, memory.allocator);
      assertThat(one).isEqualTo(other);
      assertThatThrownBy(() -> Streams.encode(first, content, 500, 1000, memory.allocator))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void aContextThatIsLostIsGivenBackByTheCleaner() {
    lose();
    memory.collectUntilNothingHeld();
  }

  private void lose() {
    assertThat(codec.tryEncoder(LEVEL_3, -1)).isNotNull();
    Decoder decoder = codec.decoder(null);
    ByteBuf begin =
        Unpooled.directBuffer().writeBytes(new byte[] {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd, 0, 0});
    decoder.decode(begin, Unpooled.directBuffer(10));
    assertThat(memory.budget.chargedBytes()).isGreaterThan(3 << 20);
  }
}
