package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2FrameTypes;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a client of HTTP/2 still sends when its connection ends; that is read for a while. */
class Http2EndTest {
  private static final int WINDOW_BYTES = 1 << 16;
  private static final int ACK = 1;
  private static final byte[] SETTINGS =
      Http2Wire.frame(
          Http2FrameTypes.SETTINGS,
          0,
          0,
          ByteBuffer.allocate(6)
              .putShort((short) Http2CodecUtil.SETTINGS_INITIAL_WINDOW_SIZE)
              .putInt(WINDOW_BYTES)
              .array());
  private static final byte[] ANSWER_TO_NO_PING =
      Http2Wire.frame(Http2FrameTypes.PING, ACK, 0, new byte[8]);
  private static final String PEER = "weir_http_failed_connections_total{reason=\"peer\"}";

  @TempDir Path directory;
  private EmbeddedNode node;
  private EmbeddedChannel channel;

  /** A connection without streams. */
  @BeforeEach
  void begin() throws Exception {
    node = new EmbeddedNode(directory);
    channel = node.connect();
    node.send(channel, Http2Wire.preface(WINDOW_BYTES));
    node.run(channel);
  }

  /** The client ends it, and may send on. */
  private void end() {
    node.send(channel, Http2Wire.frame(Http2FrameTypes.GO_AWAY, 0, 0, new byte[8]));
    node.run(channel);
    assertThat(frames(Http2FrameTypes.GO_AWAY)).as("the end").hasSize(1);
    assertThat(channel.isOpen()).isTrue();
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    channel.finishAndReleaseAll();
    node.close();
  }

  private List<Http2Wire.Frame> frames(int type) {
    return Http2Wire.frames(EmbeddedNode.received(channel)).stream()
        .filter(frame -> frame.type() == type)
        .toList();
  }

  private void flood(byte[] frame, int times) {
    ByteArrayOutputStream packet = new ByteArrayOutputStream();
    for (int i = 0; i < times; i++) {
      packet.writeBytes(frame);
    }
    node.send(channel, packet.toByteArray());
    node.run(channel);
  }

  private boolean isCountedOnce() {
    return node.services.metrics().scrape().contains(PEER + " 1.0");
  }

  /** The codec keeps each until it is. */
  @Test
  void settingsAreAcknowledged() {
    end();
    int settings = ControlFrames.MAX_IN_WINDOW / 2;
    flood(SETTINGS, settings);
    assertThat(frames(Http2FrameTypes.SETTINGS))
        .hasSize(settings)
        .allMatch(frame -> frame.flags() == ACK);
  }

  @Test
  void aFloodEndsTheConnectionAtOnceWithAReason() {
    end();
    flood(SETTINGS, 2 * ControlFrames.MAX_IN_WINDOW);
    assertThat(channel.isOpen()).isFalse();
    assertThat(isCountedOnce()).isTrue();
  }

  @Test
  void aFloodIsReadNoMoreWhereItsClientDoesNotRead() {
    CountReads reads = new CountReads();
    channel
        .pipeline()
        .addFirst(
            reads,
            new ChannelOutboundHandlerAdapter() {
              @Override
              public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                // Never written.
                ReferenceCountUtil.release(message);
              }
            });
    flood(ANSWER_TO_NO_PING, ControlFrames.MAX_IN_WINDOW / 2);
    assertThat(reads.count).isPositive();
    reads.count = 0;
    flood(ANSWER_TO_NO_PING, ControlFrames.MAX_IN_WINDOW);
    flood(ANSWER_TO_NO_PING, ControlFrames.MAX_IN_WINDOW);
    assertThat(channel.isOpen()).isTrue();
    assertThat(reads.count).as("reads of what is not wanted").isZero();
    assertThat(isCountedOnce()).isTrue();
    node.pass(channel, HttpLimits.LINGER);
    assertThat(channel.isOpen()).isFalse();
  }
}
