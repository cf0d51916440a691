package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.Texts;
import dev.weir.compression.http.ResponseFixture.Written;
import dev.weir.compression.zstd.EachZstd;
import dev.weir.netty.write.WriteGate;
import dev.weir.netty.write.WriteGateOptions;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Responses whose compressed content is longer than what a channel may queue. */
@ParameterizedClass
@EnumSource(EachZstd.class)
class BackPressureTest {
  private static final String JSON = "application/json";
  private static final int CHANNEL_BYTES = 128 << 10;

  /** Looks like text at first, and becomes hardly shorter. */
  private static final byte[] CONTENT = content();

  private final ResponseFixture fixture;

  BackPressureTest(EachZstd zstd) {
    fixture = new ResponseFixture(zstd.library());
  }

  private static byte[] content() {
    byte[] content = Texts.noise(1 << 20, 1);
    System.arraycopy(Texts.json(8 << 10, 1), 0, content, 0, 8 << 10);
    return content;
  }

  @AfterEach
  void nothingIsLive() {
    fixture.close();
  }

  /** Flushes, inside of a write, as soon as the channel is not writable. */
  private static final class Flusher extends ChannelInboundHandlerAdapter {
    private int flushes;

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
      if (!ctx.channel().isWritable()) {
        flushes++;
        ctx.flush();
      }
    }
  }

  @Test
  void aFlushInTheMiddleOfAWriteComesBehindIt() {
    Flusher flusher = new Flusher();
    fixture.channel.pipeline().addFirst(new HttpResponseEncoder()).addLast(flusher);
    fixture.request("zstd");
    fixture.channel.write(fixture.head(JSON));
    fixture.channel.write(fixture.content(CONTENT, 0, CONTENT.length));
    fixture.channel.writeOutbound(LastHttpContent.EMPTY_LAST_CONTENT);
    assertThat(flusher.flushes).isPositive();
    Written written = parsed();
    assertThat(written.ended()).isTrue();
    assertThat(fixture.decoded(written)).isEqualTo(CONTENT);
  }

  /** Takes one response from the wire. */
  private Written parsed() {
    EmbeddedChannel client = new EmbeddedChannel(new HttpResponseDecoder());
    for (Object bytes = fixture.channel.readOutbound();
        bytes != null;
        bytes = fixture.channel.readOutbound()) {
      client.writeInbound(bytes);
    }
    HttpResponse head = client.readInbound();
    assertThat(head.decoderResult().isSuccess()).isTrue();
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    int chunks = 0;
    boolean ended = false;
    for (HttpContent part = client.readInbound(); part != null; part = client.readInbound()) {
      assertThat(part.decoderResult().isSuccess()).isTrue();
      content.writeBytes(io.netty.buffer.ByteBufUtil.getBytes(part.content()));
      chunks++;
      ended = part instanceof LastHttpContent;
      ReferenceCountUtil.release(part);
    }
    client.finishAndReleaseAll();
    return new Written(head, content.toByteArray(), chunks, ended);
  }

  @ParameterizedTest
  @CsvSource({"true, true", "true, false", "false, true", "false, false"})
  void aWriteGateLetsThroughWhatWasOneMessage(boolean gateInFront, boolean whole) {
    WriteGate gate =
        new WriteGate(
            new WriteGateOptions(
                CHANNEL_BYTES, 16L << 20, CHANNEL_BYTES / 4, Duration.ofMinutes(1)));
    if (gateInFront) {
      fixture.channel.pipeline().addFirst(gate.newHandler());
    } else {
      fixture.channel.pipeline().addLast(gate.newHandler());
    }
    fixture.request("zstd");
    if (whole) {
      fixture.channel.write(fixture.whole(CONTENT, JSON));
    } else {
      fixture.channel.write(fixture.head(JSON));
      fixture.channel.write(fixture.content(CONTENT, 0, CONTENT.length));
      fixture.channel.flush();
      fixture.channel.write(LastHttpContent.EMPTY_LAST_CONTENT);
    }
    fixture.channel.flush();
    fixture.channel.runPendingTasks();
    assertThat(gate.refusals()).isZero();
    assertThat(fixture.channel.isOpen()).isTrue();
    Written written = fixture.written();
    assertThat(written.header("content-encoding")).isEqualTo("zstd");
    assertThat(fixture.decoded(written)).isEqualTo(CONTENT);
  }

  /** A peer that takes nothing for a while. */
  private static final class Blocked extends ChannelOutboundHandlerAdapter {
    private boolean open;

    @Override
    public void flush(ChannelHandlerContext ctx) {
      if (open) {
        ctx.flush();
      }
    }
  }

  @Test
  void whatAFlushAddsWaitsForRoom() {
    WriteGate gate =
        new WriteGate(
            new WriteGateOptions(
                CHANNEL_BYTES, 16L << 20, CHANNEL_BYTES / 4, Duration.ofMinutes(1)));
    Blocked peer = new Blocked();
    fixture.channel.pipeline().addFirst(peer, gate.newHandler());
    fixture.request("zstd");
    fixture.channel.write(fixture.head(JSON));
    fixture.channel.write(fixture.content(CONTENT, 0, CONTENT.length));
    fixture.channel.flush();
    fixture.channel.flush();
    assertThat(gate.refusals()).isZero();
    assertThat(fixture.channel.isWritable()).isFalse();
    peer.open = true;
    fixture.channel.pipeline().context(peer).flush();
    fixture.channel.runPendingTasks();
    Written written = fixture.written();
    assertThat(written.chunks()).isEqualTo(2);
    assertThat(written.ended()).isFalse();
    assertThat(written.content()).hasSizeGreaterThan(CONTENT.length - (16 << 10));
    fixture.channel.writeOutbound(LastHttpContent.EMPTY_LAST_CONTENT);
    assertThat(fixture.written().ended()).isTrue();
  }
}
