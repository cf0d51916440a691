package dev.weir.examples;

import dev.weir.netty.WeirAllocator;
import dev.weir.netty.flow.PoolHeadroom;
import dev.weir.netty.flow.ReadGate;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOption;
import reactor.core.publisher.Flux;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/**
 * Reactor Netty: the server's own buffers and those of the responses are Weir's, and connections
 * are not read while the pool is short.
 */
public final class ReactorNetty {
  static final int PIECE_BYTES = 16 << 10;

  private ReactorNetty() {}

  /** Serves so many pieces in answer to each request, on a free port of this machine. */
  public static DisposableServer start(WeirAllocator allocator, int pieces) {
    ReadGate gate = new ReadGate(new PoolHeadroom(allocator.pool()));
    return HttpServer.create()
        .host("127.0.0.1")
        .port(0)
        .option(ChannelOption.ALLOCATOR, allocator)
        .childOption(ChannelOption.ALLOCATOR, allocator)
        .doOnChannelInit(
            (observer, channel, peer) -> channel.pipeline().addFirst(gate.newHandler()))
        .handle((request, response) -> {
          Flux<ByteBuf> body =
              Flux.range(0, pieces)
                  .map(i -> response.alloc().buffer(PIECE_BYTES).writeZero(PIECE_BYTES));
          return response.send(body);
        })
        .bindNow();
  }
}
