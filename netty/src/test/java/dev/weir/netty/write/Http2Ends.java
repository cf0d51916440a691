package dev.weir.netty.write;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import java.util.stream.Stream;

/** A client that opens streams of HTTP/2, and a server that sees their frames. */
public final class Http2Ends implements AutoCloseable {
  final EmbeddedChannel client;
  final EmbeddedChannel server = new EmbeddedChannel(Http2FrameCodecBuilder.forServer().build());

  /** Makes both, with handlers between the client's codec and the wire. */
  Http2Ends(ChannelHandler... ofWire) {
    client =
        new EmbeddedChannel(
            Stream.concat(
                    Stream.of(ofWire),
                    Stream.of(
                        Http2FrameCodecBuilder.forClient().build(),
                        new Http2MultiplexHandler(new ChannelInboundHandlerAdapter())))
                .toArray(ChannelHandler[]::new));
    exchange();
  }

  /** Opens a stream with this handler, and sends the head of a request. */
  Http2StreamChannel open(ChannelHandler handler) throws Exception {
    var opening = new Http2StreamChannelBootstrap(client).handler(handler).open();
    client.runPendingTasks();
    Http2StreamChannel stream = opening.get();
    stream.writeAndFlush(
        new DefaultHttp2HeadersFrame(
            new DefaultHttp2Headers().method("POST").scheme("http").path("/").authority("weir")));
    exchange();
    return stream;
  }

  /** Carries bytes both ways, until none are left. */
  void exchange() {
    client.runPendingTasks();
    exchange(client, server);
  }

  /** Carries what lies ready both ways, until nothing is left. */
  public static void exchange(EmbeddedChannel one, EmbeddedChannel other) {
    boolean moved = true;
    while (moved) {
      moved = move(one, other) | move(other, one);
    }
  }

  private static boolean move(EmbeddedChannel from, EmbeddedChannel to) {
    boolean moved = false;
    for (Object bytes = from.readOutbound(); bytes != null; bytes = from.readOutbound()) {
      to.writeInbound(bytes);
      moved = true;
    }
    return moved;
  }

  @Override
  public void close() {
    client.finishAndReleaseAll();
    server.finishAndReleaseAll();
  }
}
