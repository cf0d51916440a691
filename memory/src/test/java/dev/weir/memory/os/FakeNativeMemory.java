package dev.weir.memory.os;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * An operating system without memory: it hands out addresses that nobody may touch, knows of every
 * OS page whether it would be resident, checks what it is asked, and fails when told to.
 *
 * <p>A page becomes resident by {@link #touch} and ceases to be by {@link #purge}. Thread-safe.
 */
public final class FakeNativeMemory implements NativeMemory {
  /** The system calls there are. */
  public enum Call {
    RESERVE,
    PURGE,
    MOVE,
    RELEASE
  }

  /** A purge that was carried out. */
  public record Purged(long address, long bytes) {}

  private static final long FIRST_ADDRESS = 1L << 40;

  private final int pageBytes;
  private final TreeMap<Long, Range> ranges = new TreeMap<>();
  private final List<Purged> purges = new ArrayList<>();
  private long nextAddress;
  private long calls;
  private long failFirst = Long.MAX_VALUE;
  private long failLast = Long.MIN_VALUE;
  private long addressBytes = 1L << 47;
  private long largestReservation = Long.MAX_VALUE;
  private long failures;
  private long moves;
  private long failMovesAfter = Long.MAX_VALUE;
  private boolean movesFail;
  private boolean copiesFail;
  private boolean releaseFailed;

  private static final class Range {
    final long bytes;
    final BitSet resident = new BitSet();

    /** Where a mapping ends and another begins, since pages have been moved to there. */
    final TreeSet<Long> cuts = new TreeSet<>();

    Range(long bytes) {
      this.bytes = bytes;
    }
  }

  public FakeNativeMemory() {
    this(4096);
  }

  public FakeNativeMemory(int pageBytes) {
    this.pageBytes = pageBytes;
    // On a page, but on nothing coarser: whoever needs more alignment must see to it.
    this.nextAddress = FIRST_ADDRESS + pageBytes;
  }

  /** Makes the n-th call from now on fail, counted from 1. */
  public synchronized void failAt(long n) {
    failFirst = calls + n;
    failLast = failFirst;
  }

  /** Makes the n-th call from now on fail, counted from 1, and all that follow. */
  public synchronized void failFrom(long n) {
    failFirst = calls + n;
    failLast = Long.MAX_VALUE;
  }

  /** No further call fails. */
  public synchronized void heal() {
    failFirst = Long.MAX_VALUE;
    failLast = Long.MIN_VALUE;
  }

  /** Refuses reservations of more than so many bytes. */
  public synchronized void limitReservations(long bytes) {
    largestReservation = bytes;
  }

  /** Has so many addresses in all. */
  public synchronized void limitAddresses(long bytes) {
    addressBytes = bytes;
  }

  @Override
  public synchronized long freeAddressBytes() {
    return addressBytes - ranges.values().stream().mapToLong(range -> range.bytes).sum();
  }

  /** How many calls were made, those that failed included. */
  public synchronized long calls() {
    return calls;
  }

  /** How many calls failed because they were told to. */
  public synchronized long failures() {
    return failures;
  }

  /** Whether a release failed, so that its range is lost. */
  public synchronized boolean releaseFailed() {
    return releaseFailed;
  }

  /** How many ranges are reserved. */
  public synchronized int reservations() {
    return ranges.size();
  }

  /** How many bytes of OS pages were touched and not purged since. */
  public synchronized long residentBytes() {
    return ranges.values().stream().mapToLong(range -> range.resident.cardinality()).sum()
        * pageBytes;
  }

  /** What was purged since the last call, in order. */
  public synchronized List<Purged> takePurges() {
    List<Purged> taken = List.copyOf(purges);
    purges.clear();
    return taken;
  }

  /** Makes every page of a range resident. */
  public synchronized void touch(long address, long bytes) {
    Map.Entry<Long, Range> entry = entryOf(address, bytes);
    entry
        .getValue()
        .resident
        .set(pageOf(entry, address), pageOf(entry, address + bytes + pageBytes - 1));
  }

  @Override
  public int pageBytes() {
    return pageBytes;
  }

  @Override
  public boolean canPurge() {
    return true;
  }

  @Override
  public synchronized long reserve(long bytes) {
    requireWholePages(bytes);
    if (fails() || bytes > largestReservation || bytes > freeAddressBytes()) {
      throw new ReservationFailedError("the fake refuses to reserve " + bytes + " bytes");
    }
    long address = nextAddress;
    ranges.put(address, new Range(bytes));
    nextAddress += bytes + 16L * pageBytes;
    return address;
  }

  @Override
  public synchronized void purge(long address, long bytes) {
    requireWholePages(bytes);
    requireWholePages(address);
    Map.Entry<Long, Range> entry = entryOf(address, bytes);
    if (fails()) {
      throw new NativeMemoryException("the fake refuses to purge " + bytes + " bytes");
    }
    entry.getValue().resident.clear(pageOf(entry, address), pageOf(entry, address + bytes));
    purges.add(new Purged(address, bytes));
  }

  @Override
  public synchronized boolean tryMove(long from, long to, long bytes) {
    requireWholePages(bytes);
    Map.Entry<Long, Range> entry = entryOf(from, bytes);
    if (entryOf(to, bytes).getValue() != entry.getValue() || Math.abs(to - from) < bytes) {
      throw new AssertionError("0x%x + %d does not move to 0x%x".formatted(from, bytes, to));
    }
    Long cut = entry.getValue().cuts.higher(from);
    if (cut != null && cut < from + bytes) {
      throw new AssertionError(
          "0x%x + %d is more than one mapping: cut at 0x%x".formatted(from, bytes, cut));
    }
    if (fails() || movesFail || moves >= failMovesAfter) {
      return false;
    }
    entry.getValue().cuts.add(to);
    entry.getValue().cuts.add(to + bytes);
    BitSet resident = entry.getValue().resident;
    int distance = pageOf(entry, to) - pageOf(entry, from);
    for (int page = pageOf(entry, from); page < pageOf(entry, from + bytes); page++) {
      resident.set(page + distance, resident.get(page));
      resident.clear(page);
    }
    moves++;
    return true;
  }

  @Override
  public synchronized void copy(long from, long to, long bytes) {
    touch(to, bytes);
    if (copiesFail) {
      throw new NativeMemoryException("the fake has copied " + bytes + " bytes, and fails");
    }
  }

  /** Makes every copy fail at its end, or none any more. */
  public synchronized void failCopies(boolean fail) {
    copiesFail = fail;
  }

  /** Makes every move fail, or none any more. */
  public synchronized void failMoves(boolean fail) {
    movesFail = fail;
  }

  /** Makes every move fail once so many have been made in all. */
  public synchronized void failMovesAfter(long moves) {
    failMovesAfter = moves;
  }

  /** How often pages were moved. */
  public synchronized long moves() {
    return moves;
  }

  @Override
  public synchronized void release(long address, long bytes) {
    Range range = ranges.get(address);
    if (range == null || range.bytes != bytes) {
      throw new AssertionError(
          "0x%x + %d is not a reservation: %s".formatted(address, bytes, ranges.keySet()));
    }
    if (fails()) {
      releaseFailed = true;
      throw new NativeMemoryException("the fake refuses to release " + bytes + " bytes");
    }
    ranges.remove(address);
  }

  private boolean fails() {
    calls++;
    boolean fails = calls >= failFirst && calls <= failLast;
    failures += fails ? 1 : 0;
    return fails;
  }

  private Map.Entry<Long, Range> entryOf(long address, long bytes) {
    Map.Entry<Long, Range> entry = ranges.floorEntry(address);
    if (entry == null || address + bytes > entry.getKey() + entry.getValue().bytes) {
      throw new AssertionError("0x%x + %d lies outside what is reserved".formatted(address, bytes));
    }
    return entry;
  }

  private int pageOf(Map.Entry<Long, Range> entry, long address) {
    return Math.toIntExact((address - entry.getKey()) / pageBytes);
  }

  private void requireWholePages(long value) {
    if (value <= 0 || value % pageBytes != 0) {
      throw new AssertionError(value + " is not a positive number of whole OS pages");
    }
  }
}
