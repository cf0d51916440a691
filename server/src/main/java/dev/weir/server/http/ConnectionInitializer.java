package dev.weir.server.http;

import dev.weir.netty.flow.SocketIntake;
import dev.weir.netty.write.WriteGate;
import dev.weir.server.metrics.NodeMetrics;
import dev.weir.server.tls.Tls;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.group.ChannelGroup;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.flow.FlowControlHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Sets connections up, and turns away those above the limits. */
final class ConnectionInitializer extends ChannelInitializer<Channel> {
  /** Connections that are being turned away and have not ended yet; any more are just closed. */
  private static final int MAX_TURNED_AWAY = 48;

  private final NodeMetrics metrics;
  private final @Nullable Tls tls;
  private final ChannelGroup connections;
  private final Function<Channel, ConnectionMemory> buffers;
  private final WriteGate writes;
  private final Permits permits;
  private final Permits operatorPermits = new Permits(HttpLimits.OPERATOR_CONNECTIONS);
  private final Permits turnedAway = new Permits(MAX_TURNED_AWAY);
  private final AddressPermits addresses;
  private final Serving everybody;
  private final Serving operators;

  /** How connections of one kind are served. */
  private record Serving(Services services, Router router, Http2Setup http2) {
    static Serving by(Services services, Router router) {
      return new Serving(services, router, new Http2Setup(services, router));
    }
  }

  ConnectionInitializer(
      Services services,
      ChannelGroup connections,
      Function<Channel, ConnectionMemory> buffers,
      AddressPermits addresses) {
    this.metrics = services.metrics();
    this.tls = services.tls();
    this.buffers = buffers;
    this.connections = connections;
    this.writes = new WriteGate(services.limits().writeBounds());
    this.permits = services.permits();
    this.addresses = addresses;
    this.everybody = Serving.by(services, new Router(services));
    Services forOperators = services.forOperators();
    this.operators = Serving.by(forOperators, new OperatorRouter(forOperators));
  }

  @Override
  protected void initChannel(Channel channel) {
    if (!addresses.tryTake(channel)) {
      metrics.connectionRefused();
      turnAway(channel, FixedAnswer.TOO_MANY_OF_ADDRESS);
      return;
    }
    if (take(permits, channel)) {
      serve(channel, everybody);
      return;
    }
    metrics.conditions().noPlace();
    if (take(operatorPermits, channel)) {
      serve(channel, operators);
    } else {
      metrics.connectionRefused();
      turnAway(channel, FixedAnswer.TOO_MANY_CLIENTS);
    }
  }

  private void serve(Channel channel, Serving serving) {
    ConnectionMemory memory = buffers.apply(channel);
    connections.add(channel);
    metrics.connectionOpened();
    channel.closeFuture().addListener(closed -> metrics.connectionClosed());
    channel.pipeline().addLast(new NoReadsWhenClosing(), writes.newHandler());
    TlsSession.addTo(channel, tls);
    Services services = serving.services();
    StrictRequestDecoder decoder = new StrictRequestDecoder();
    List<ChannelHandler> http1 = new ArrayList<>();
    http1.add(new SocketIntake(decoder));
    http1.add(decoder);
    http1.add(new HttpResponseEncoder());
    // A head without a body comes with its last content: that one waits its turn here.
    http1.add(new FlowControlHandler());
    http1.addAll(services.codings().handlers(memory));
    http1.add(
        new HttpCarrier(services, memory, serving.router(), new Http1Line(services, decoder)));
    channel.pipeline().addLast(new ProtocolSwitch(serving.http2(), memory, http1));
    http1.forEach(channel.pipeline()::addLast);
  }

  private void turnAway(Channel channel, FixedAnswer.OfEither answer) {
    if (take(turnedAway, channel)) {
      TlsSession.addTo(channel, tls);
      channel.pipeline().addLast(new TurnAway(answer));
    } else if (tls == null) {
      TurnAway.atOnce(channel, answer);
    } else {
      // An answer would take a handshake.
      channel.close();
    }
  }

  /** Takes a permit until the channel is closed. */
  private static boolean take(Permits permits, Channel channel) {
    boolean taken = permits.tryTake();
    if (taken) {
      channel.closeFuture().addListener(closed -> permits.giveBack());
    }
    return taken;
  }
}
