package dev.weir.netty.flow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.write.Http2Ends;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.DefaultHttp2SettingsFrame;
import io.netty.handler.codec.http2.Http2ChannelDuplexHandler;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2FrameTypes;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a client may send, which began with HTTP/2's default windows before it heard of lower ones.
 */
class Http2WindowsTest {
  private static final int DEFAULT_WINDOW_BYTES = 65_535;
  private static final int WINDOW_BYTES = 16 << 10;

  private final Http2FrameCodec ofClient = Http2FrameCodecBuilder.forClient().build();
  private final Http2ChannelDuplexHandler opener = new Http2ChannelDuplexHandler() {};
  private final EmbeddedChannel client = new EmbeddedChannel(ofClient, opener);
  private final Http2FrameStream stream = opener.newStream();
  private final Reader reader = new Reader();
  private @Nullable Throwable connectionFailure;
  private boolean failing;
  private boolean delaying;
  private final List<ByteBuf> delayed = new ArrayList<>();

  /** The streams of the window updates among what has failed. */
  private final List<Integer> lostUpdates = new ArrayList<>();

  private boolean isToFail;
  private final EmbeddedChannel server =
      new EmbeddedChannel(
          new ChannelOutboundHandlerAdapter() {
            @Override
            public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
              if (delaying) {
                delayed.add((ByteBuf) message);
              } else if (failing) {
                ByteBuf frame = (ByteBuf) message;
                if (frame.getByte(frame.readerIndex() + 3) == Http2FrameTypes.WINDOW_UPDATE) {
                  lostUpdates.add(frame.getInt(frame.readerIndex() + 5));
                }
                frame.release();
                promise.setFailure(new OutOfMemoryError("made to fail"));
              } else {
                ctx.write(message, promise);
              }
            }
          },
          Http2Windows.perStream(
              Http2FrameCodecBuilder.forServer()
                  .initialSettings(Http2Settings.defaultSettings().initialWindowSize(WINDOW_BYTES))
                  .build()),
          new Http2MultiplexHandler(reader),
          new ChannelInboundHandlerAdapter() {
            @Override
            public void exceptionCaught(ChannelHandlerContext ctx, Throwable failure) {
              connectionFailure = failure;
            }
          });

  @AfterEach
  void close() {
    if (!isToFail) {
      assertThat(connectionFailure).isNull();
      assertThat(server.isOpen()).isTrue();
    }
    delayed.forEach(ByteBuf::release);
    server.finishAndReleaseAll();
    client.finishAndReleaseAll();
  }

  /** From a window of which one byte is left, over one of none, to one that is far below. */
  @ParameterizedTest
  @ValueSource(
      ints = {
        1,
        WINDOW_BYTES - 1,
        WINDOW_BYTES,
        WINDOW_BYTES + 1,
        DEFAULT_WINDOW_BYTES / 2 - 70,
        DEFAULT_WINDOW_BYTES / 2,
        DEFAULT_WINDOW_BYTES / 2 + 1,
        DEFAULT_WINDOW_BYTES - 1,
        DEFAULT_WINDOW_BYTES
      })
  void streamsGoOnWhoseWindowWasUsedUpBeforeItWasLowered(int bytes) {
    open();
    send(bytes);
    toServer();
    assertThat(reader.read).isEqualTo(bytes);

    settle();

    assertThat(windowBytes()).isBetween(1, WINDOW_BYTES);
    for (int i = 0; i < 100; i++) {
      send(windowBytes());
      settle();
      assertThat(windowBytes()).isPositive();
    }
  }

  @Test
  void streamsThatReadLateGoOnToo() {
    reader.waits = true;
    open();
    send(DEFAULT_WINDOW_BYTES);
    settle();
    assertThat(windowBytes()).isEqualTo(WINDOW_BYTES - DEFAULT_WINDOW_BYTES);

    reader.goOn();
    server.runPendingTasks();
    settle();

    assertThat(reader.read).isEqualTo(DEFAULT_WINDOW_BYTES);
    assertThat(windowBytes()).isEqualTo(WINDOW_BYTES);
  }

  /** It needs no window, which many clients make use of (RFC 9113, 6.9.1). */
  @ParameterizedTest
  @ValueSource(ints = {0, 16_384, 40_000, DEFAULT_WINDOW_BYTES})
  void anEndWithoutDataComesWhateverTheWindowIs(int readBeforeBytes) {
    reader.waits = true;
    open();
    send(DEFAULT_WINDOW_BYTES);
    settle();
    assertThat(windowBytes()).isEqualTo(WINDOW_BYTES - DEFAULT_WINDOW_BYTES);
    for (int i = 0; reader.read < readBeforeBytes; i++) {
      assertThat(i).isLessThan(100);
      reader.readOne();
      server.runPendingTasks();
      settle();
    }

    sendEnd();
    reader.goOn();
    server.runPendingTasks();
    settle();

    assertThat(reader.failure).isNull();
    assertThat(reader.read).isEqualTo(DEFAULT_WINDOW_BYTES);
    assertThat(reader.hasEnded).isTrue();
  }

  @Test
  void anEndWithoutDataOfAStreamThatIsGoneHarmsNobody() {
    open();
    send(100);
    settle();
    reader.ctx.close();
    server.runPendingTasks();
    sendEnd();
    settle();
    assertThat(reader.failure).isNull();
  }

  /** Twice, so that the controller knows of the second time only. */
  @Test
  void anEndWithoutDataComesWhereTheWindowWasLoweredTwice() throws Exception {
    reader.waits = true;
    open();
    send(DEFAULT_WINDOW_BYTES);
    settle();
    server
        .pipeline()
        .write(new DefaultHttp2SettingsFrame(new Http2Settings().initialWindowSize(1)));
    server.flush();
    settle();
    assertThat(windowBytes()).isEqualTo(1 - DEFAULT_WINDOW_BYTES);

    sendEnd();
    reader.goOn();
    server.runPendingTasks();
    assertThat(reader.failure).isNull();
    assertThat(reader.hasEnded).isTrue();
  }

  @Test
  void noUpdateFollowsAnEndWithoutData() {
    reader.waits = true;
    open();
    send(DEFAULT_WINDOW_BYTES);
    settle();
    sendEnd();
    reader.goOn();
    server.runPendingTasks();
    assertThat(server.<Object>readOutbound()).isNull();
    assertThat(reader.read).isEqualTo(DEFAULT_WINDOW_BYTES);
    assertThat(reader.hasEnded).isTrue();
  }

  /** The controller sends some still, which nobody waits for. */
  @Test
  void anUpdateThatIsLostBehindTrailersHarmsNobody() {
    reader.waits = true;
    open();
    send(DEFAULT_WINDOW_BYTES);
    settle();
    client.writeOutbound(
        new DefaultHttp2HeadersFrame(
                new DefaultHttp2Headers().set("trailer", "1"), /* endStream= */ true)
            .stream(stream));
    toServer();
    failing = true;
    reader.goOn();
    server.runPendingTasks();
    assertThat(lostUpdates).contains(stream.id());
    assertThat(reader.read).isEqualTo(DEFAULT_WINDOW_BYTES);
    assertThat(reader.hasEnded).isTrue();
  }

  /**
   * Who reads on within the read of the trailers is faster than the codec, which counts behind it.
   */
  @Test
  void anUpdateThatIsLostAmongTrailersHarmsNobody() {
    reader.readsBehindEnd = true;
    open();
    settle();
    failing = true;
    send(WINDOW_BYTES / 4 * 3);
    client.writeOutbound(
        new DefaultHttp2HeadersFrame(
                new DefaultHttp2Headers().set("trailer", "1"), /* endStream= */ true)
            .stream(stream));
    toServerAtOnce();
    assertThat(lostUpdates).contains(stream.id());
    assertThat(reader.hasEnded).isTrue();
  }

  @Test
  void anUpdateThatIsLostBehindAResetOfOursHarmsNobody() {
    reader.waits = true;
    open();
    settle();
    // The codec forgets the stream when this is written.
    delaying = true;
    server
        .pipeline()
        .write(new DefaultHttp2ResetFrame(Http2Error.CANCEL).stream(reader.frameStream()));
    delaying = false;
    failing = true;
    send(WINDOW_BYTES / 4 * 3);
    toServer();
    assertThat(lostUpdates).as("the controller has sent one").contains(stream.id());
  }

  @Test
  void anUpdateThatIsLostBeforeTheEndEndsTheConnection() {
    isToFail = true;
    reader.waits = true;
    open();
    send(DEFAULT_WINDOW_BYTES);
    settle();
    failing = true;
    reader.goOn();
    server.runPendingTasks();
    assertThat(lostUpdates).as("the stream's alone").isNotEmpty().containsOnly(stream.id());
    assertThat(connectionFailure).hasMessage("made to fail");
  }

  private void open() {
    client.writeOutbound(
        new DefaultHttp2HeadersFrame(
                new DefaultHttp2Headers().method("POST").scheme("http").path("/"),
                /* endStream= */ false)
            .stream(stream));
  }

  private void send(int bytes) {
    client.writeOutbound(
        new DefaultHttp2DataFrame(Unpooled.buffer(bytes).writeZero(bytes)).stream(stream));
  }

  /** Netty's client would wait for its window. */
  private void sendEnd() {
    ByteBuf end = Unpooled.buffer();
    end.writeMedium(0).writeByte(Http2FrameTypes.DATA).writeByte(Http2Flags.END_STREAM);
    server.writeInbound(end.writeInt(stream.id()));
  }

  private int windowBytes() {
    Http2Connection connection = ofClient.connection();
    return connection.remote().flowController().windowSize(connection.stream(stream.id()));
  }

  private void settle() {
    Http2Ends.exchange(server, client);
    client.releaseInbound();
  }

  private void toServerAtOnce() {
    ByteBuf all = Unpooled.buffer();
    for (ByteBuf bytes = client.readOutbound(); bytes != null; bytes = client.readOutbound()) {
      all.writeBytes(bytes);
      bytes.release();
    }
    server.writeInbound(all);
  }

  private void toServer() {
    for (ByteBuf bytes = client.readOutbound(); bytes != null; bytes = client.readOutbound()) {
      server.writeInbound(bytes);
    }
  }

  /** Reads at once, or when it is told to. */
  private static final class Reader extends ChannelInboundHandlerAdapter {
    private boolean waits;
    private boolean readsBehindEnd;
    private int read;
    private boolean hasEnded;
    private @Nullable Throwable failure;
    private ChannelHandlerContext ctx;

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
      this.ctx = ctx;
      ctx.channel().config().setAutoRead(!waits);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (message instanceof Http2DataFrame data) {
        read += data.content().readableBytes();
        hasEnded |= data.isEndStream();
      } else if (message instanceof Http2HeadersFrame headers) {
        hasEnded |= headers.isEndStream();
        if (hasEnded && readsBehindEnd) {
          ctx.read();
        }
      } else if (message instanceof Http2ResetFrame reset) {
        failure = new IllegalStateException("reset: " + reset);
      }
      ReferenceCountUtil.release(message);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      failure = cause;
    }

    Http2FrameStream frameStream() {
      return ((Http2StreamChannel) ctx.channel()).stream();
    }

    void readOne() {
      ctx.read();
    }

    void goOn() {
      ctx.channel().config().setAutoRead(true);
    }
  }
}
