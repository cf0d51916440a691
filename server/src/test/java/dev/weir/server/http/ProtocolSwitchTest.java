package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.Http2CodecUtil;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A preface that comes in parts. */
class ProtocolSwitchTest {
  /** More than half of the node's memory. */
  private static final int TOO_MUCH_TO_COPY = 5 << 20;

  private static final int FIRST_BYTES = 10;

  @TempDir Path directory;

  /** The first part cannot be lengthened, or nothing longer can take its place. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void nothingIsLeftOfPartsThatThereIsNoRoomToMerge(boolean isReplaced) throws Exception {
    try (EmbeddedNode node = new EmbeddedNode(directory)) {
      EmbeddedChannel channel = node.connect();
      ByteBuf preface = Http2CodecUtil.connectionPrefaceBuf();
      ByteBuf first = node.allocator.directBuffer(FIRST_BYTES).writeBytes(preface, FIRST_BYTES);
      ByteBuf second = node.allocator.directBuffer(TOO_MUCH_TO_COPY).writeBytes(preface);
      second.writeZero(second.writableBytes());
      channel.writeInbound(isReplaced ? first.asReadOnly() : first);
      assertThat(ProtocolSwitch.isHalfway(channel)).isTrue();

      channel.writeInbound(second);

      assertThat(first.refCnt()).isZero();
      assertThat(second.refCnt()).isZero();
      node.run(channel);
      assertThat(new String(EmbeddedNode.received(channel), StandardCharsets.US_ASCII))
          .startsWith("HTTP/1.1 503 ");
      channel.finishAndReleaseAll();
    }
  }
}
