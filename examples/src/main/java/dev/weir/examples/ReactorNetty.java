package dev.weir.examples;

import dev.weir.netty.WeirAllocator;
import dev.weir.netty.flow.ReadGate;
import io.netty.channel.ChannelOption;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/**
 * Reactor Netty: the server's buffers are Weir's, and with them the bodies that it aggregates;
 * connections are not read while the pool is short.
 */
public final class ReactorNetty {
  private ReactorNetty() {}

  /** Sends back what comes, on a free port of this machine. */
  public static DisposableServer start(WeirAllocator allocator, ReadGate gate) {
    return HttpServer.create()
        .host("127.0.0.1")
        .port(0)
        .option(ChannelOption.ALLOCATOR, allocator)
        .childOption(ChannelOption.ALLOCATOR, allocator)
        .doOnChannelInit(
            (observer, channel, peer) -> channel.pipeline().addFirst(gate.newHandler()))
        .handle((request, response) -> response.send(request.receive().aggregate().retain()))
        .bindNow();
  }
}
