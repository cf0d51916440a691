package dev.weir.server.http;

import dev.weir.netty.flow.SocketIntake;
import dev.weir.netty.write.WriteGate;
import dev.weir.server.metrics.NodeMetrics;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.group.ChannelGroup;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.flow.FlowControlHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Sets connections up, and turns away those above the limit. */
final class ConnectionInitializer extends ChannelInitializer<Channel> {
  /** Connections that are being turned away and have not ended yet; any more are just closed. */
  private static final int MAX_TURNED_AWAY = 64;

  private final Services services;
  private final Router router;
  private final ChannelGroup connections;
  private final Function<Channel, ConnectionMemory> buffers;
  private final Http2Setup http2;
  private final WriteGate writes;
  private final Places turnedAway = new Places(MAX_TURNED_AWAY);

  ConnectionInitializer(
      Services services, ChannelGroup connections, Function<Channel, ConnectionMemory> buffers) {
    this.services = services;
    this.buffers = buffers;
    this.router = new Router(services);
    this.http2 = new Http2Setup(services, router);
    this.connections = connections;
    this.writes = new WriteGate(services.limits().writeBounds());
  }

  @Override
  protected void initChannel(Channel channel) {
    NodeMetrics metrics = services.metrics();
    if (!take(services.places(), channel)) {
      metrics.connectionRefused();
      turnAway(channel);
      return;
    }
    ConnectionMemory memory = buffers.apply(channel);
    connections.add(channel);
    metrics.connectionOpened();
    channel.closeFuture().addListener(closed -> metrics.connectionClosed());
    channel.pipeline().addLast(new NoReadsWhenClosing(), writes.newHandler());
    TlsSession.addTo(channel, services.tls());
    StrictRequestDecoder decoder = new StrictRequestDecoder();
    List<ChannelHandler> http1 = new ArrayList<>();
    http1.add(new SocketIntake(decoder));
    http1.add(decoder);
    http1.add(new HttpResponseEncoder());
    // A head without a body comes with its last content: that one waits its turn here.
    http1.add(new FlowControlHandler());
    http1.addAll(services.codings().handlers(memory));
    http1.add(new HttpCarrier(services, memory, router, new Http1Line(services, decoder)));
    channel.pipeline().addLast(new ProtocolSwitch(http2, memory, http1));
    http1.forEach(channel.pipeline()::addLast);
  }

  private void turnAway(Channel channel) {
    if (take(turnedAway, channel)) {
      TlsSession.addTo(channel, services.tls());
      channel.pipeline().addLast(new TurnAway());
    } else if (services.tls() == null) {
      TurnAway.atOnce(channel);
    } else {
      // An answer would take a handshake.
      channel.close();
    }
  }

  /** Takes a place until the channel is closed. */
  private static boolean take(Places places, Channel channel) {
    boolean taken = places.tryTake();
    if (taken) {
      channel.closeFuture().addListener(closed -> places.giveBack());
    }
    return taken;
  }
}
