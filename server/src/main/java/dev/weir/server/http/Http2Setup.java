package dev.weir.server.http;

import dev.weir.netty.flow.Http2Reads;
import dev.weir.netty.flow.Http2Windows;
import dev.weir.netty.flow.StreamIntake;
import dev.weir.netty.inbound.UnbrokenInput;
import dev.weir.netty.write.UnbrokenStream;
import dev.weir.server.metrics.Failure;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamChannelOption;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;

/** Sets connections up for HTTP/2, and their streams, within the node's limits. */
final class Http2Setup {
  /** Resets within {@link #RESET_SECONDS}, of either side: clients that cancel much need fewer. */
  private static final int MAX_RESETS = 200;

  private static final int RESET_SECONDS = 30;

  /** Data frames with neither data nor an end, one after the other. */
  private static final int MAX_EMPTY_FRAMES = 2;

  private static final int MAX_SMALL_CONTINUATIONS = 16;

  /** Answers to control frames that the client does not read. */
  private static final int MAX_QUEUED_CONTROL_FRAMES = 1000;

  /** All streams together on their way; what they may keep is limited for each of them. */
  private static final int CONNECTION_WINDOW_BYTES = 16 * HttpLimits.CHUNK_BYTES;

  private static final Http2StreamFrameToHttpObjectCodec RESPONSES =
      new Http2StreamFrameToHttpObjectCodec(/* isServer= */ true);

  private final Services services;
  private final Router router;

  Http2Setup(Services services, Router router) {
    this.services = services;
    this.router = router;
  }

  /** Adds all handlers of a connection that has received nothing yet. */
  void addTo(ChannelPipeline pipeline, ConnectionMemory memory) {
    Http2Session session = new Http2Session(services, memory);
    if (router.endsConnections()) {
      session.endWithFirstStream();
    }
    Http2Reads reads = new Http2Reads();
    Http2Streams streams = new Http2Streams(session);
    Http2FrameCodec codec = codec(streams, new FrameWatch(session, streams));
    if (services.tls() == null) {
      // A frame is written as its head and its data: those that come later would be taken for them.
      pipeline.addLast(UnbrokenStream.HANDLER);
    }
    FirstFrame first = new FirstFrame();
    pipeline.addLast(first);
    UnbrokenInput.addTo(pipeline, reads, new DataInParts(), UnsentFrames.HANDLER);
    pipeline.addLast(session);
    session.begin(codec.connection());
    // It writes at once: the session is there to hear of what becomes of that.
    pipeline
        .addBefore(pipeline.context(UnsentFrames.HANDLER).name(), /* name= */ null, codec)
        .addLast(new Http2MultiplexHandler(new StreamInitializer(session, reads)));
    if (!pipeline.channel().isOpen() && !first.isWritten()) {
      services
          .metrics()
          .connectionFailed(Failure.MEMORY, new IllegalStateException("settings were not sent"));
    }
    widen(codec.connection());
  }

  private Http2FrameCodec codec(Http2Streams streams, FrameWatch frames) {
    Http2FrameCodecBuilder builder =
        streams
            .codec()
            .initialSettings(
                new Http2Settings()
                    .maxConcurrentStreams(services.limits().maxStreams())
                    .initialWindowSize(HttpLimits.CHUNK_BYTES)
                    .maxHeaderListSize(
                        HttpLimits.MAX_REQUEST_LINE_BYTES + HttpLimits.MAX_HEADER_BYTES))
            .decoderEnforceMaxRstFramesPerWindow(MAX_RESETS, RESET_SECONDS)
            .encoderEnforceMaxRstFramesPerWindow(MAX_RESETS, RESET_SECONDS)
            .decoderEnforceMaxConsecutiveEmptyDataFrames(MAX_EMPTY_FRAMES)
            .decoderEnforceMaxSmallContinuationFrames(MAX_SMALL_CONTINUATIONS)
            .encoderEnforceMaxQueuedControlFrames(MAX_QUEUED_CONTROL_FRAMES)
            .validateHeaders(true)
            .validateRequiredPseudoHeaders(true)
            .frameLogger(frames)
            // The session does, and hears whether there was memory for it.
            .autoAckSettingsFrame(false)
            .autoAckPingFrame(false)
            // The session says when a connection ends, and what is told of it.
            .decoupleCloseAndGoAway(true);
    builder.gracefulShutdownTimeoutMillis(HttpLimits.LINGER.toMillis());
    return Http2Windows.perStream(builder.build());
  }

  private static void widen(Http2Connection connection) {
    try {
      connection
          .local()
          .flowController()
          .incrementWindowSize(
              connection.connectionStream(),
              CONNECTION_WINDOW_BYTES - connection.local().flowController().initialWindowSize());
    } catch (Http2Exception e) {
      throw new IllegalStateException("a new connection's window cannot be set", e);
    }
  }

  private final class StreamInitializer extends ChannelInitializer<Channel> {
    private final Http2Session session;
    private final Http2Reads reads;

    StreamInitializer(Http2Session session, Http2Reads reads) {
      this.session = session;
      this.reads = reads;
    }

    @Override
    protected void initChannel(Channel stream) {
      stream.config().setAllocator(stream.parent().alloc());
      stream
          .config()
          .setWriteBufferWaterMark(
              new WriteBufferWaterMark(HttpLimits.CHUNK_BYTES, HttpLimits.WRITE_AHEAD_BYTES));
      // The input says what has been used.
      stream.config().setOption(Http2StreamChannelOption.AUTO_STREAM_FLOW_CONTROL, false);
      StreamIntake input = new StreamIntake(reads);
      stream.pipeline().addLast(input, Http2Requests.HANDLER, RESPONSES);
      services.codings().addToStream(stream.pipeline(), session.memory());
      Line line = new Http2Line(services, session, input);
      stream.pipeline().addLast(new HttpCarrier(services, session.memory(), router, line));
    }

    @Override
    public boolean isSharable() {
      // For all streams of one connection, which have one event loop.
      return true;
    }
  }
}
