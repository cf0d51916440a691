package dev.weir.memory.pages;

/**
 * The addresses that the pools of this process hold, and how many the next one may take. So a pool
 * never leaves the process, or the pools that come later, without addresses.
 *
 * <p>Thread-safe.
 */
final class PoolAddresses {
  /**
   * Once pools hold half of what they could have, each takes this part of what is free at most: 1
   * GiB of limit gets its full 290 GiB from 18 TiB on, and a few hundred more pools get less.
   */
  private static final int LATER_PART = 64;

  private long heldBytes;
  private int reservations;

  synchronized void add(long bytes) {
    heldBytes += bytes;
    reservations++;
  }

  synchronized void remove(long bytes) {
    heldBytes -= bytes;
    reservations--;
  }

  /**
   * The most that the next pool should reserve: what is left of the half that pools share freely,
   * but a 64th of what is free at least.
   *
   * @param freeBytes what the process may still map
   */
  synchronized long shareBytes(long freeBytes) {
    return Math.max((freeBytes - heldBytes) / 2, freeBytes / LATER_PART);
  }

  /** What an error says of it; empty where no pool holds any. */
  synchronized String advice() {
    return reservations == 0
        ? ""
        : " Other pools of this process hold %,d bytes of addresses (%,d of them): close some, or share one."
            .formatted(heldBytes, reservations);
  }
}
