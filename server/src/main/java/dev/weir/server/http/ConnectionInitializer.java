package dev.weir.server.http;

import dev.weir.server.metrics.NodeMetrics;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.group.ChannelGroup;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.flow.FlowControlHandler;
import java.nio.charset.StandardCharsets;

/** Sets connections up, and turns away those above the limit. */
final class ConnectionInitializer extends ChannelInitializer<Channel> {
  private static final byte[] TOO_MANY =
      """
      HTTP/1.1 503 Service Unavailable\r
      Retry-After: 1\r
      Connection: close\r
      Content-Type: text/plain\r
      Content-Length: 41\r
      \r
      the node has as many clients as it takes
      """
          .getBytes(StandardCharsets.US_ASCII);

  private final Services services;
  private final Router router;
  private final ChannelGroup connections;

  ConnectionInitializer(Services services, ChannelGroup connections) {
    this.services = services;
    this.router = new Router(services);
    this.connections = connections;
  }

  @Override
  protected void initChannel(Channel channel) {
    NodeMetrics metrics = services.metrics();
    if (connections.size() >= services.limits().maxConnections()) {
      metrics.connectionRefused();
      channel
          .writeAndFlush(Unpooled.wrappedBuffer(TOO_MANY))
          .addListener(ChannelFutureListener.CLOSE);
      return;
    }
    connections.add(channel);
    metrics.connectionOpened();
    channel.closeFuture().addListener(closed -> metrics.connectionClosed());
    channel
        .pipeline()
        .addLast(new StrictRequestDecoder())
        .addLast(new HttpResponseEncoder())
        // Hands on one message for each read: what a client pipelines waits its turn here.
        .addLast(new FlowControlHandler())
        .addLast(new HttpConnection(services, router));
  }
}
