package dev.weir.netty.flow;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2ChannelDuplexHandler;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.util.ReferenceCountUtil;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A stream for each client, of one connection of HTTP/2: what the windows of both allow is sent,
 * whether the stream is read from or not.
 */
final class Streams implements Lines {
  /** Of the connection, which no setting makes less. */
  static final int CONNECTION_WINDOW_BYTES = 65_535;

  private final int windowBytes;
  private final Http2FrameCodec ofClients = Http2FrameCodecBuilder.forClient().build();
  private final Http2FrameCodec ofServer;
  private final Http2ChannelDuplexHandler opener = new Http2ChannelDuplexHandler() {};
  private final EmbeddedChannel clients;
  private final EmbeddedChannel server;
  private final Http2FrameStream[] streams;
  private final @Nullable Channel[] channels;
  private int opening;

  /**
   * Makes as many clients, which send their first part later.
   *
   * @param windowBytes of each stream at first
   * @param windows is given the server's codec
   */
  Streams(
      int count, int windowBytes, UnaryOperator<Http2FrameCodec> windows, Initializer initializer) {
    this.windowBytes = windowBytes;
    streams = new Http2FrameStream[count];
    channels = new Channel[count];
    ofServer =
        windows.apply(
            Http2FrameCodecBuilder.forServer()
                .initialSettings(Http2Settings.defaultSettings().initialWindowSize(windowBytes))
                .build());
    clients = new EmbeddedChannel(ofClients, opener);
    server =
        new EmbeddedChannel(
            ofServer,
            new Http2MultiplexHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel stream) {
                    channels[opening] = stream;
                    initializer.initialize(
                        stream,
                        opening,
                        new Http2StreamFrameToHttpObjectCodec(/* isServer= */ true));
                  }
                }));
    exchange();
  }

  @Override
  public @Nullable Channel channel(int index) {
    return channels[index];
  }

  @Override
  public boolean canSend(int index, Part part) {
    return Math.min(connectionWindowBytes(), windowBytes(index)) >= part.bytes();
  }

  /** What all clients together may send. */
  int connectionWindowBytes() {
    Http2Connection connection = ofClients.connection();
    return connection.remote().flowController().windowSize(connection.connectionStream());
  }

  private int windowBytes(int index) {
    if (streams[index] == null) {
      return windowBytes;
    }
    Http2Connection connection = ofClients.connection();
    Http2Stream stream = connection.stream(streams[index].id());
    return stream == null ? 0 : connection.remote().flowController().windowSize(stream);
  }

  /** What has come for a channel that has not read it. */
  int unreadBytes(int index) {
    if (streams[index] == null) {
      return 0;
    }
    Http2Connection connection = ofServer.connection();
    Http2Stream stream = connection.stream(streams[index].id());
    return stream == null ? 0 : connection.local().flowController().unconsumedBytes(stream);
  }

  @Override
  public void send(int index, Part part) {
    if (streams[index] == null) {
      opening = index;
      streams[index] = opener.newStream();
      Http2Headers head = new DefaultHttp2Headers().method("POST").scheme("http").path("/");
      if (part.lengthBytes() >= 0) {
        head.setInt("content-length", part.lengthBytes());
      }
      clients.writeOutbound(
          new DefaultHttp2HeadersFrame(head, /* endStream= */ false).stream(streams[index]));
    }
    if (!part.isHead()) {
      ByteBuf content = Unpooled.buffer(part.bytes()).writeZero(part.bytes());
      clients.writeOutbound(
          new DefaultHttp2DataFrame(content, part.isLast()).stream(streams[index]));
    }
    exchange();
  }

  @Override
  public void runTasks(int index) {
    server.runPendingTasks();
    exchange();
  }

  private void exchange() {
    while (move(clients, server) | move(server, clients)) {
      for (Object frame = clients.readInbound(); frame != null; frame = clients.readInbound()) {
        ReferenceCountUtil.release(frame);
      }
    }
  }

  private static boolean move(EmbeddedChannel from, EmbeddedChannel to) {
    boolean moved = false;
    for (ByteBuf bytes = from.readOutbound(); bytes != null; bytes = from.readOutbound()) {
      to.writeInbound(bytes);
      moved = true;
    }
    return moved;
  }

  @Override
  public String state() {
    StringBuilder state = new StringBuilder("window ").append(connectionWindowBytes());
    for (int i = 0; i < channels.length; i++) {
      Channel channel = channels[i];
      state
          .append(channel == null ? " -" : channel.config().isAutoRead() ? " r" : " s")
          .append(windowBytes(i))
          .append('/')
          .append(unreadBytes(i));
    }
    return state.append(' ').toString();
  }
}
