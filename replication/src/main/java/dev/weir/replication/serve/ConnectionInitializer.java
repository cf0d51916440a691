package dev.weir.replication.serve;

import dev.weir.netty.write.FailStopTls;
import dev.weir.replication.net.Loops;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.ssl.SslContext;
import org.jspecify.annotations.Nullable;

/** Sets connections up. */
final class ConnectionInitializer extends ChannelInitializer<Channel> {
  private static final int MOST_HEAD_BYTES = 8 << 10;

  private final Services services;
  private final Loops loops;
  private final @Nullable SslContext tls;

  ConnectionInitializer(Services services, Loops loops, @Nullable SslContext tls) {
    this.services = services;
    this.loops = loops;
    this.tls = tls;
  }

  @Override
  protected void initChannel(Channel channel) {
    loops.own(channel);
    boolean hasPlace = services.figures().opened(services.mostConnections());
    channel.closeFuture().addListener(closed -> services.figures().closed());
    if (tls != null) {
      if (!hasPlace) {
        channel.close(); // An answer would take a handshake, and its memory.
        return;
      }
      channel.pipeline().addLast(new ClearTextHint());
      FailStopTls.addTo(channel.pipeline(), tls.newHandler(channel.alloc()));
    }
    channel
        .pipeline()
        .addLast(
            new HttpServerCodec(
                new HttpDecoderConfig()
                    .setMaxInitialLineLength(MOST_HEAD_BYTES)
                    .setMaxHeaderSize(MOST_HEAD_BYTES)
                    .setMaxChunkSize(ReplicationServer.READ_BYTES)),
            // Requests that come early wait here.
            new FlowControlHandler(),
            new RequestHandler(services, /* zeroCopy= */ tls == null, hasPlace));
  }
}
