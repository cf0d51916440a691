package dev.weir.server.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever pieces the bytes come in, the frames mean the same. */
class DataInPartsTest {
  private static final int END_STREAM = 1;
  private static final int PADDED = 8;

  /** Other frames as they are; data by stream, all that follow each other together. */
  private record Frame(int type, int flags, int stream, String payload) {}

  private static ByteBuf preface() {
    return Unpooled.buffer().writeBytes(Http2CodecUtil.connectionPrefaceBuf());
  }

  private static void frame(ByteBuf to, int type, int flags, int stream, byte[] payload) {
    to.writeMedium(payload.length).writeByte(type).writeByte(flags).writeInt(stream);
    to.writeBytes(payload);
  }

  private static ByteBuf randomFrames(Random random) {
    ByteBuf all = preface();
    int[] types = {
      Http2FrameTypes.DATA, Http2FrameTypes.DATA, Http2FrameTypes.HEADERS, Http2FrameTypes.PING
    };
    for (int i = 0; i < 40; i++) {
      byte[] payload = new byte[random.nextInt(4) == 0 ? random.nextInt(3) : random.nextInt(400)];
      random.nextBytes(payload);
      int flags = random.nextInt(3) == 0 ? PADDED : random.nextInt(2) * END_STREAM;
      frame(all, types[random.nextInt(types.length)], flags, random.nextInt(3), payload);
    }
    return all;
  }

  private static List<Frame> frames(ByteBuf bytes) {
    List<Frame> frames = new ArrayList<>();
    assertThat(bytes.readSlice(preface().readableBytes())).isEqualTo(preface());
    while (bytes.isReadable()) {
      int length = bytes.readUnsignedMedium();
      int type = bytes.readByte();
      int flags = bytes.readByte();
      int stream = bytes.readInt();
      String payload = bytes.readCharSequence(length, ISO_8859_1).toString();
      Frame last = frames.isEmpty() ? null : frames.getLast();
      if (last != null
          && type == Http2FrameTypes.DATA
          && last.type == type
          && last.stream == stream
          && ((last.flags | flags) & PADDED) == 0
          && (last.flags & END_STREAM) == 0) {
        frames.set(frames.size() - 1, new Frame(type, flags, stream, last.payload + payload));
      } else {
        frames.add(new Frame(type, flags, stream, payload));
      }
    }
    return frames;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 9, 10, 50, 500, 100_000})
  void theFramesMeanTheSame(int mostBytes) {
    long seed = Long.getLong("weir.test.seed", System.nanoTime());
    Random random = new Random(seed);
    ByteBuf sent = randomFrames(random);
    ByteBuf got = Unpooled.buffer();
    EmbeddedChannel channel = new EmbeddedChannel(new DataInParts());
    ByteBuf rest = sent.duplicate();
    while (rest.isReadable()) {
      int bytes = Math.min(rest.readableBytes(), 1 + random.nextInt(mostBytes));
      channel.writeInbound(Unpooled.directBuffer(bytes).writeBytes(rest, bytes));
      for (ByteBuf each = channel.readInbound(); each != null; each = channel.readInbound()) {
        assertThat(each.isReadable()).isTrue();
        got.writeBytes(each);
        each.release();
      }
    }
    assertThat(frames(got))
        .as("-Dtest=DataInPartsTest -Dweir.test.seed=" + seed)
        .isEqualTo(frames(sent));
    channel.finish();
  }

  @Test
  void dataIsHandedOnWhenItComes() {
    EmbeddedChannel channel = new EmbeddedChannel(new DataInParts());
    ByteBuf sent = preface();
    frame(sent, Http2FrameTypes.DATA, END_STREAM, 5, "abcdef".getBytes(ISO_8859_1));
    int first = preface().readableBytes() + Http2CodecUtil.FRAME_HEADER_LENGTH + 2;
    channel.writeInbound(Unpooled.directBuffer().writeBytes(sent, first));
    channel.writeInbound(Unpooled.directBuffer().writeBytes(sent, 3));
    channel.writeInbound(Unpooled.directBuffer().writeBytes(sent, 1));
    List<String> got = new ArrayList<>();
    for (ByteBuf each = channel.readInbound(); each != null; each = channel.readInbound()) {
      got.add(ByteBufUtil.hexDump(each));
      each.release();
    }
    String preface = ByteBufUtil.hexDump(preface());
    assertThat(got)
        .containsExactly(
            preface + "0000020000000000056162",
            "000003000000000005",
            "636465",
            "000001000100000005",
            "66");
    channel.finish();
  }

  @Test
  void whatIsTooLongIsLeftToTheCodec() {
    EmbeddedChannel channel = new EmbeddedChannel(new DataInParts());
    ByteBuf sent = preface();
    sent.writeMedium(1 << 20).writeByte(Http2FrameTypes.DATA).writeByte(0).writeInt(1).writeByte(7);
    channel.writeInbound(sent.copy());
    ByteBuf got = channel.readInbound();
    assertThat(got).isEqualTo(sent);
    got.release();
    channel.finish();
  }
}
