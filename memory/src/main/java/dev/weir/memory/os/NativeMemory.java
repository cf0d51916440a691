package dev.weir.memory.os;

import java.lang.foreign.MemorySegment;

/**
 * Every system call that Weir makes. An implementation is stateless towards its caller: it keeps no
 * account of who reserved what, and it may be called by any thread at any time.
 *
 * <p>Addresses and lengths are in bytes. Ranges handed to the other methods lie inside a range that
 * {@link #reserve} returned, and begin and end on an OS page.
 */
public interface NativeMemory {
  /** The size of an OS page in bytes, a power of two: the granularity of {@link #purge}. */
  int pageBytes();

  /**
   * Whether {@link #purge} really gives pages back. Where it does not, the limit of a pool bounds
   * what is in use, and its resident pages are bounded by its reservation, which is then as small
   * as possible.
   */
  boolean canPurge();

  /**
   * How many addresses the process may still map, as far as is known. Advice: a reservation of
   * fewer may fail.
   */
  default long freeAddressBytes() {
    return AddressLimits.USER_SPACE_BYTES;
  }

  /**
   * Takes a range of addresses that is readable, writable and not resident: its pages read as zero
   * and cost memory from their first touch on.
   *
   * @param bytes a positive multiple of {@link #pageBytes()}
   * @return the address of the range, on an OS page
   * @throws ReservationFailedError if the range cannot be had; the message names the settings that
   *     stand in the way
   */
  long reserve(long bytes);

  /**
   * Gives the pages of a range back to the operating system. The addresses stay reserved and read
   * as zero or as what they held; nothing faults.
   *
   * @throws NativeMemoryException if the call failed; the pages are then to be taken as still
   *     resident
   */
  void purge(long address, long bytes);

  /**
   * Purges ranges that have not been purged yet, from the first to the last, as {@link #purge(long,
   * long)} would. {@link PurgeRanges#purged} tells how far it came if it fails.
   */
  default void purge(PurgeRanges ranges) {
    while (ranges.purged() < ranges.count()) {
      purge(ranges.address(ranges.purged()), ranges.bytes(ranges.purged()));
      ranges.purgedNext();
    }
  }

  /**
   * Moves the pages of a range to another range of the same reservation, without copying them. What
   * was resident there is gone; the source stays reserved and reads as zero. The ranges do not
   * overlap, and nobody uses either meanwhile. The source neither contains the beginning or the end
   * of a range that pages have been moved to, nor such a range and more: systems refuse that, or
   * may come half way.
   *
   * @return false where the system cannot: the source is as it was then
   */
  default boolean tryMove(long from, long to, long bytes) {
    return false;
  }

  /** Copies the bytes of a range to another that does not overlap it. */
  default void copy(long from, long to, long bytes) {
    MemorySegment.copy(AddressSpace.ALL, from, AddressSpace.ALL, to, bytes);
  }

  /**
   * Ends a reservation. The range must be exactly one that {@link #reserve} returned; no address of
   * it may be used afterwards.
   *
   * @throws NativeMemoryException if the call failed; the range is then lost to the process
   */
  void release(long address, long bytes);

  /** The implementation that fits this machine. */
  static NativeMemory system() {
    return SystemMemoryHolder.INSTANCE;
  }
}
