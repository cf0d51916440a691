package dev.weir.server.http;

import dev.weir.memory.budget.Budget;
import dev.weir.netty.WeirAllocator;
import dev.weir.server.console.Console;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerAdapter;
import io.netty.channel.ChannelHandlerContext;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.function.Consumer;

/**
 * Charges what a connection's buffers take to a budget of its own, under the client's address: who
 * looks at the node sees which client holds how much.
 */
final class ConnectionBudgets implements Consumer<Channel> {
  private final WeirAllocator allocator;
  private final Budget all;

  ConnectionBudgets(WeirAllocator allocator) {
    this.allocator = allocator;
    this.all = allocator.pool().rootBudget().child(Console.CONNECTIONS, Budget.UNLIMITED);
  }

  @Override
  public void accept(Channel channel) {
    Budget own = all.child(name(channel.remoteAddress()), Budget.UNLIMITED);
    channel.config().setAllocator(allocator.charging(own));
    channel.pipeline().addFirst(new LastToGo(own));
  }

  /**
   * Closes the budget when the pipeline is taken apart. A closed connection's handlers may still
   * encode an answer before they hear that it is closed: they must fail for that reason, not for
   * want of memory. What is on its way then stays charged until it is released.
   */
  private static final class LastToGo extends ChannelHandlerAdapter {
    private final Budget budget;

    LastToGo(Budget budget) {
      this.budget = budget;
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
      budget.close();
    }
  }

  /** An address; a client that has gone already has none. */
  private static String name(SocketAddress client) {
    return client instanceof InetSocketAddress address && address.getAddress() != null
        ? address.getAddress().getHostAddress() + ":" + address.getPort()
        : "gone";
  }
}
