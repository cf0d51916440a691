package dev.weir.server.http;

import io.netty.channel.Channel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Connections of each client's address at once, within a limit. Clients on loopback share one
 * address, so they are not limited. Any thread may ask.
 */
final class AddressPermits {
  private final int limit;

  /** As many entries as connections at most. */
  private final ConcurrentMap<InetAddress, Integer> taken = new ConcurrentHashMap<>();

  /**
   * Makes permits of which none is taken.
   *
   * @param limit of each address; 0 for none
   */
  AddressPermits(int limit) {
    this.limit = limit;
  }

  /** Takes one for a connection until that is closed. */
  boolean tryTake(Channel channel) {
    InetAddress address =
        channel.remoteAddress() instanceof InetSocketAddress client ? client.getAddress() : null;
    if (address == null || !tryTake(address)) {
      return address == null; // It has gone already.
    }
    channel.closeFuture().addListener(closed -> giveBack(address));
    return true;
  }

  boolean tryTake(InetAddress address) {
    if (isLimited(address) && taken.merge(address, 1, Integer::sum) > limit) {
      giveBack(address);
      return false;
    }
    return true;
  }

  void giveBack(InetAddress address) {
    if (isLimited(address)) {
      taken.computeIfPresent(address, (of, count) -> count == 1 ? null : count - 1);
    }
  }

  private boolean isLimited(InetAddress address) {
    return limit > 0 && !address.isLoopbackAddress();
  }

  /** Addresses of which connections are open. */
  int addresses() {
    return taken.size();
  }
}
