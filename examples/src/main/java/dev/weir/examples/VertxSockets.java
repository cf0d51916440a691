package dev.weir.examples;

import dev.weir.netty.WeirAllocator;
import dev.weir.netty.write.WriteGate;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.vertx.core.Vertx;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetServer;

/**
 * Vert.x: it has no setting for the allocator of a server, so each socket gets it, and a handler
 * that closes slow peers. Vert.x leaves buffers to the garbage collector, but copies only those of
 * Netty's allocators to the heap for that; others have to be copied before it sees them.
 */
public final class VertxSockets extends ChannelInboundHandlerAdapter {
  /** Sends back what comes. */
  public static NetServer server(Vertx vertx, WeirAllocator allocator, WriteGate gate) {
    return vertx
        .createNetServer()
        .connectHandler(socket -> {
          ChannelHandlerContext vertxEnd = ((NetSocketInternal) socket).channelHandlerContext();
          vertxEnd.channel().config().setAllocator(allocator);
          vertxEnd.pipeline().addFirst(gate.newHandler());
          vertxEnd.pipeline().addBefore(vertxEnd.name(), "toHeap", new VertxSockets());
          socket.pipeTo(socket);
        });
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    ByteBuf copy = Unpooled.copiedBuffer(bytes);
    bytes.release();
    ctx.fireChannelRead(copy);
  }
}
