package dev.weir.memory.pressure;

/**
 * Holds memory that it can do without, a cache say, and gives it back when a pool or a budget has
 * no room left: the last resort before a request is refused, and while grants wait.
 *
 * <p>Called on the thread of the request that finds no room, which may be an event loop, or on one
 * of the pool's; outside every lock of the pool, but perhaps under locks of the caller's. Never by
 * two threads at once, and never for a request that it makes itself. It may allocate, release,
 * close budgets and change limits. It should return soon: a thread that needs the same reclaimer
 * meanwhile waits for a call of another thread until 100 ms after that has begun, 10 ms where it is
 * blocked, and then goes on without it: for one request 100 ms in all, however many reclaimers
 * there are and however often their calls end and make no room for it. An allocation is one
 * request; a buffer of Netty that grows makes two, one to grow where it lies and then one for
 * another place: 200 ms. What it throws is logged the first time, and counts as nothing.
 */
@FunctionalInterface
public interface Reclaimer {
  /**
   * Releases blocks, if it can.
   *
   * @param bytes what is needed; it may be asked for more, up to seven times, where what it has
   *     released makes no room: pages that other blocks lie on, say
   * @return about how many bytes have been released; 0 or less if there is nothing left to release,
   *     and it will not be asked again for this request
   */
  long reclaim(long bytes);
}
