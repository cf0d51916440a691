package dev.weir.server.http;

import dev.weir.server.metrics.NodeMetrics;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.group.ChannelGroup;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.flow.FlowControlHandler;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** Sets connections up, and turns away those above the limit. */
final class ConnectionInitializer extends ChannelInitializer<Channel> {
  /** Connections that are being turned away and have not ended yet; any more are just closed. */
  private static final int MAX_TURNED_AWAY = 64;

  private final Services services;
  private final Router router;
  private final ChannelGroup connections;
  private final Function<Channel, ConnectionMemory> buffers;
  private final AtomicInteger openConnections = new AtomicInteger();
  private final AtomicInteger turnedAway = new AtomicInteger();

  ConnectionInitializer(
      Services services, ChannelGroup connections, Function<Channel, ConnectionMemory> buffers) {
    this.services = services;
    this.buffers = buffers;
    this.router = new Router(services);
    this.connections = connections;
  }

  @Override
  protected void initChannel(Channel channel) {
    NodeMetrics metrics = services.metrics();
    if (!take(openConnections, services.limits().maxConnections(), channel)) {
      metrics.connectionRefused();
      turnAway(channel);
      return;
    }
    ConnectionMemory memory = buffers.apply(channel);
    connections.add(channel);
    metrics.connectionOpened();
    channel.closeFuture().addListener(closed -> metrics.connectionClosed());
    TlsSession.addTo(channel, services.tls());
    StrictRequestDecoder decoder = new StrictRequestDecoder();
    channel
        .pipeline()
        .addLast(new InputPacer(decoder))
        .addLast(decoder)
        .addLast(new HttpResponseEncoder())
        // A head without a body comes with its last content: that one waits its turn here.
        .addLast(new FlowControlHandler())
        .addLast(new HttpConnection(services, memory, router, decoder));
  }

  private void turnAway(Channel channel) {
    if (take(turnedAway, MAX_TURNED_AWAY, channel)) {
      TlsSession.addTo(channel, services.tls());
      channel.pipeline().addLast(new TurnAway());
    } else if (services.tls() == null) {
      TurnAway.atOnce(channel);
    } else {
      // An answer would take a handshake.
      channel.close();
    }
  }

  /** Counts the channel until it is closed, unless the limit is reached. */
  private static boolean take(AtomicInteger count, int limit, Channel channel) {
    if (count.incrementAndGet() > limit) {
      count.decrementAndGet();
      return false;
    }
    channel.closeFuture().addListener(closed -> count.decrementAndGet());
    return true;
  }
}
