package dev.weir.lab.memory;

/**
 * A range of addresses of this process.
 *
 * @param startAddress the first address
 * @param lengthBytes how many there are
 */
public record AddressRange(long startAddress, long lengthBytes) {

  /** How many addresses of {@code [start, end)} are in this range. */
  long overlapBytes(long start, long end) {
    long from = Math.max(start, startAddress);
    long to = Math.min(end, startAddress + lengthBytes);
    return Math.max(0, to - from);
  }
}
