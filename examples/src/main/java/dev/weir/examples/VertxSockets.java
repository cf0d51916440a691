package dev.weir.examples;

import dev.weir.netty.WeirAllocator;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.impl.transports.NioTransport;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.transport.Transport;
import org.jspecify.annotations.Nullable;

/**
 * Vert.x: it has no setting for the allocator of a server, so its transport sets it. Its buffers
 * are left to the garbage collector, but only those of Netty's allocators are copied to the heap
 * for that; others have to be, before it sees them.
 */
public final class VertxSockets {
  private VertxSockets() {}

  /** Sends back what comes, on a free port of this machine. */
  public static Future<NetServer> start(Vertx vertx) {
    return vertx
        .createNetServer()
        .connectHandler(socket -> {
          ((NetSocketInternal) socket)
              .channelHandlerContext()
              .pipeline()
              .addBefore("handler", "toHeap", ToHeap.INSTANCE);
          socket.pipeTo(socket);
        })
        .listen(0, "127.0.0.1");
  }

  /** Vert.x whose servers take their buffers from an allocator. */
  public static Vertx vertx(WeirAllocator allocator) {
    return Vertx.builder().withTransport(new InWeir(allocator)).build();
  }

  @ChannelHandler.Sharable
  private static final class ToHeap extends ChannelInboundHandlerAdapter {
    static final ToHeap INSTANCE = new ToHeap();

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf bytes = (ByteBuf) message;
      ByteBuf copy = Unpooled.buffer(bytes.readableBytes()).writeBytes(bytes);
      bytes.release();
      ctx.fireChannelRead(copy);
    }
  }

  private record InWeir(WeirAllocator allocator) implements Transport {
    @Override
    public String name() {
      return "weir";
    }

    @Override
    public boolean available() {
      return true;
    }

    @Override
    public @Nullable Throwable unavailabilityCause() {
      return null;
    }

    @Override
    public io.vertx.core.spi.transport.Transport implementation() {
      return new NioTransport() {
        @Override
        public void configure(
            NetServerOptions options, boolean domainSocket, ServerBootstrap bootstrap) {
          super.configure(options, domainSocket, bootstrap);
          bootstrap.childOption(ChannelOption.ALLOCATOR, allocator);
        }
      };
    }
  }
}
