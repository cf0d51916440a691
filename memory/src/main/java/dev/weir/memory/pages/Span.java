package dev.weir.memory.pages;

import org.jspecify.annotations.Nullable;

/**
 * A piece of a span region: the memory of one slab. Its committed pages are live; the others cost
 * nothing.
 *
 * <p>While it is open it belongs to the heap that opened it. While it is retired (no block of it is
 * live) it belongs to the page heap: its committed pages are dirty, and whoever next needs the same
 * kind takes it back with all that it carries, unless its pages were purged meanwhile.
 */
public abstract class Span {
  private final SpanSize size;
  private final int kind;
  private final int usableBytes;
  private final int firstBytes;

  /** Written by the page heap before the span is handed out; constant while it is open. */
  private long address;

  /**
   * The OS pages that are live. Written under the page heap's lock; read by the span's owner while
   * nobody purges inside the span.
   */
  private final PageSet committed = new PageSet();

  /** The bytes of {@link #committed}; under the page heap's lock. */
  private int committedBytes;

  /** Retired since the last aging; under the page heap's lock, as are the links. */
  boolean young;

  boolean retired;

  /** Being purged: no longer retired, and its address not yet free. */
  boolean claimed;

  @Nullable Span older;
  @Nullable Span newer;
  @Nullable Span olderOfKind;
  @Nullable Span newerOfKind;

  /**
   * Creates a span that has no memory yet.
   *
   * @param kind what distinguishes spans that can stand in for each other: their slot size class
   * @param usableBytes how many of its bytes, from the first on, may ever hold something
   * @param firstBytes how many of them it needs before it can hold anything
   */
  protected Span(SpanSize size, int kind, int usableBytes, int firstBytes) {
    this.size = size;
    this.kind = kind;
    this.usableBytes = usableBytes;
    this.firstBytes = firstBytes;
  }

  /** The size of the span. */
  public final SpanSize size() {
    return size;
  }

  /** What it can stand in for. */
  public final int kind() {
    return kind;
  }

  /** Its first address. */
  public final long address() {
    return address;
  }

  /** Its live pages (retired: dirty). The owner may read them while nobody purges inside. */
  protected final PageSet committed() {
    return committed;
  }

  /** How many bytes its live pages have, as last seen by the calling thread. */
  public final int committedBytes() {
    return committedBytes;
  }

  final void place(long newAddress) {
    address = newAddress;
  }

  /** Whether all pages that a retired span has left are of use to this one. */
  final boolean canUseAllOf(Span predecessor, int osPageBytes) {
    int usablePages = Math.ceilDiv(usableBytes, osPageBytes);
    return predecessor.committed.next(usablePages) == PageSet.MAX_PAGES;
  }

  /** Whether a retired span has room for something on the pages that it has kept. */
  protected abstract boolean isReady();

  /** The bytes of live pages that it begins with where it was retired. */
  final int firstBytes(int osPageBytes) {
    return isReady() ? committedBytes : firstBytesAfter(this, osPageBytes);
  }

  /** The bytes of live pages that it begins with in the place of a retired span. */
  final int firstBytesAfter(Span predecessor, int osPageBytes) {
    int firstPages = Math.ceilDiv(firstBytes, osPageBytes);
    int missing = firstPages - predecessor.committed.countIn(0, firstPages);
    return predecessor.committedBytes + missing * osPageBytes;
  }

  /** Takes the place of a retired span, with the pages that it left. */
  final void inherit(Span predecessor) {
    address = predecessor.address;
    committed.copyFrom(predecessor.committed);
    committedBytes = predecessor.committedBytes;
  }

  final void commit(int from, int to, int osPageBytes) {
    committed.add(from, to);
    committedBytes = committed.size() * osPageBytes;
  }

  final void uncommit(PageSet pages, int osPageBytes) {
    committed.removeAll(pages);
    committedBytes = committed.size() * osPageBytes;
  }

  /**
   * Whether a heap has it, as another thread sees it, which took it from {@link PageHeap#spans}:
   * one that was closed since also seems open.
   */
  public final boolean isOpen() {
    return !retired && !claimed;
  }
}
