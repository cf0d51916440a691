package dev.weir.server.http;

import dev.weir.memory.budget.Budget;
import dev.weir.netty.WeirAllocator;
import dev.weir.netty.flow.Admission;
import dev.weir.netty.flow.WeirAdmission;
import dev.weir.server.console.Usage;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerAdapter;
import io.netty.channel.ChannelHandlerContext;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Charges what a connection's buffers take to budgets of its own, under the client's address: one
 * below each {@link Usage}. Who looks at the node sees what its memory is for, and which client has
 * how much of that.
 */
final class ConnectionBudgets implements Function<Channel, ConnectionMemory> {
  private final WeirAllocator allocator;
  private final Budget sockets;
  private final Budget uploads;
  private final Budget responses;

  ConnectionBudgets(WeirAllocator allocator) {
    this.allocator = allocator;
    this.sockets = below(Usage.CONNECTIONS);
    this.uploads = below(Usage.UPLOADS);
    this.responses = below(Usage.RESPONSES);
  }

  private Budget below(Usage usage) {
    return allocator.pool().rootBudget().child(usage.budgetName(), Budget.UNLIMITED);
  }

  @Override
  public ConnectionMemory apply(Channel channel) {
    Own own = new Own(name(channel.remoteAddress()));
    channel.config().setAllocator(allocator.charging(own.sockets));
    channel.pipeline().addFirst(own);
    return own;
  }

  /**
   * The budgets of one connection; those of bodies and answers from the first one on. They are
   * closed when the pipeline is taken apart: a closed connection's handlers may still encode an
   * answer before they hear that it is closed, and must fail for that reason, not for want of
   * memory. What is on its way then stays charged until it is released.
   */
  private final class Own extends ChannelHandlerAdapter implements ConnectionMemory {
    private final String client;
    private final Budget sockets;
    private @Nullable Charging uploads;
    private @Nullable Charging responses;
    private boolean closed;

    Own(String client) {
      this.client = client;
      this.sockets = ConnectionBudgets.this.sockets.child(client, Budget.UNLIMITED);
    }

    @Override
    public ByteBufAllocator uploads() {
      Charging own = uploads;
      if (own == null) {
        own = charging(ConnectionBudgets.this.uploads);
        uploads = own;
      }
      return own.buffers;
    }

    @Override
    public ByteBufAllocator responses() {
      return ownResponses().buffers;
    }

    @Override
    public Admission responsesLater() {
      return ownResponses().admission;
    }

    private Charging ownResponses() {
      Charging own = responses;
      if (own == null) {
        own = charging(ConnectionBudgets.this.responses);
        responses = own;
      }
      return own;
    }

    private Charging charging(Budget parent) {
      Charging own = Charging.below(parent, allocator, client);
      if (closed) {
        // The last task of a connection that is gone is refused what it asks for.
        own.budget.close();
      }
      return own;
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
      close();
    }

    void close() {
      closed = true;
      sockets.close();
      close(uploads);
      close(responses);
    }

    private static void close(@Nullable Charging own) {
      if (own != null) {
        own.budget.close();
      }
    }
  }

  /** What is charged to one budget: at once, or later. */
  private record Charging(Budget budget, ByteBufAllocator buffers, Admission admission) {
    static Charging below(Budget parent, WeirAllocator allocator, String client) {
      Budget budget = parent.child(client, Budget.UNLIMITED);
      return new Charging(budget, allocator.charging(budget), new WeirAdmission(allocator, budget));
    }
  }

  /** An address; a client that has gone already has none. */
  private static String name(SocketAddress client) {
    return client instanceof InetSocketAddress address && address.getAddress() != null
        ? address.getAddress().getHostAddress() + ":" + address.getPort()
        : "gone";
  }
}
