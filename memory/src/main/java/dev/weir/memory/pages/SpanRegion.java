package dev.weir.memory.pages;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A region of equal-sized spans: open ones, parked ones (free, but with dirty pages and whatever
 * their owner built on them), and free addresses.
 *
 * <p>Not thread-safe: the page heap's lock guards it.
 */
@SuppressWarnings("ReferenceEquality") // spans are their identity
final class SpanRegion {
  private final SpanSize size;
  private final long base;
  private final int capacity;

  /** By index; null where the address is free. Grows with the highest span ever opened. */
  private @Nullable Span[] spans = new Span[16];

  /** Indices below {@link #untouched} that are free. */
  private int[] freeIndices = new int[16];

  private int freeIndexCount;
  private int untouched;

  private @Nullable Span oldestParked;
  private @Nullable Span newestParked;
  private final @Nullable Span[] newestParkedOfKind;
  private long parkedBytes;

  SpanRegion(SpanSize size, long base, int capacity, int kinds) {
    this.size = size;
    this.base = base;
    this.capacity = capacity;
    this.newestParkedOfKind = new Span[kinds];
  }

  long parkedBytes() {
    return parkedBytes;
  }

  /** Copies the spans from an index on, and nulls, to the same places; all below the extent. */
  void copySpans(int from, int count, @Nullable Span[] target) {
    System.arraycopy(spans, from, target, from, count);
  }

  /** How many addresses have ever been used; those behind them are clean. */
  int extent() {
    return untouched;
  }

  /** The open or parked span at an index below {@link #extent}, or null. */
  @Nullable Span at(int index) {
    return spans[index];
  }

  /** The span of this kind that was parked last, or null. */
  @Nullable Span newestParked(int kind) {
    return newestParkedOfKind[kind];
  }

  boolean hasFreeAddress() {
    return freeIndexCount > 0 || untouched < capacity;
  }

  /** Gives a fresh span a free address without resident pages; false if every address is taken. */
  boolean open(Span fresh) {
    int index;
    if (freeIndexCount > 0) {
      index = freeIndices[--freeIndexCount];
    } else if (untouched < capacity) {
      if (untouched == spans.length) {
        makeRoom();
      }
      index = untouched++;
    } else {
      return false;
    }
    fresh.place(base + (long) index * size.bytes());
    spans[index] = fresh;
    return true;
  }

  /**
   * Doubles both arrays, or neither: there is always room for the index of every span, so that
   * closing one needs nothing from the Java heap.
   */
  private void makeRoom() {
    @Nullable Span[] longer = Arrays.copyOf(spans, untouched * 2);
    freeIndices = Arrays.copyOf(freeIndices, untouched * 2);
    spans = longer;
  }

  /** Gives a fresh span the address and the dirty pages of a parked one, which is gone then. */
  void replaceParked(Span victim, Span fresh) {
    unpark(victim);
    fresh.inherit(victim);
    spans[indexOf(victim)] = fresh;
  }

  /** Frees the address of a span that has no resident page and is not parked. */
  void close(Span span) {
    int index = indexOf(span);
    if (spans[index] != span) {
      throw new IllegalStateException("span " + index + " is not the one to close");
    }
    spans[index] = null;
    freeIndices[freeIndexCount++] = index;
  }

  void park(Span span) {
    if (span.parked) {
      throw new IllegalStateException("span " + indexOf(span) + " is parked already");
    }
    span.parked = true;
    span.young = true;
    span.older = newestParked;
    if (newestParked == null) {
      oldestParked = span;
    } else {
      newestParked.newer = span;
    }
    newestParked = span;
    Span ofKind = newestParkedOfKind[span.kind()];
    span.olderOfKind = ofKind;
    if (ofKind != null) {
      ofKind.newerOfKind = span;
    }
    newestParkedOfKind[span.kind()] = span;
    parkedBytes += span.committedBytes();
  }

  /** The span that has been parked longest, or null. */
  @Nullable Span oldestParked() {
    return oldestParked;
  }

  void unpark(Span span) {
    Span older = span.older;
    Span newer = span.newer;
    if (older == null) {
      oldestParked = newer;
    } else {
      older.newer = newer;
    }
    if (newer == null) {
      newestParked = older;
    } else {
      newer.older = older;
    }
    Span olderOfKind = span.olderOfKind;
    Span newerOfKind = span.newerOfKind;
    if (olderOfKind != null) {
      olderOfKind.newerOfKind = newerOfKind;
    }
    if (newerOfKind == null) {
      newestParkedOfKind[span.kind()] = olderOfKind;
    } else {
      newerOfKind.olderOfKind = olderOfKind;
    }
    span.older = null;
    span.newer = null;
    span.olderOfKind = null;
    span.newerOfKind = null;
    span.parked = false;
    parkedBytes -= span.committedBytes();
  }

  /** Ends the youth of every parked span. */
  void age() {
    for (Span span = newestParked; span != null && span.young; span = span.older) {
      span.young = false;
    }
  }

  /** Evaluates: every parked span is in its place, once, and their bytes add up. */
  void checkInvariants() {
    long bytes = 0;
    int linked = 0;
    for (Span span = oldestParked; span != null; span = span.newer) {
      if (!span.parked || spans[indexOf(span)] != span) {
        throw new AssertionError("parked span " + indexOf(span) + " is not in its place");
      }
      bytes += span.committedBytes();
      linked++;
    }
    int marked = 0;
    int occupied = 0;
    for (int index = 0; index < untouched; index++) {
      Span span = spans[index];
      if (span != null) {
        occupied++;
        marked += span.parked ? 1 : 0;
      }
    }
    if (bytes != parkedBytes || linked != marked || occupied + freeIndexCount != untouched) {
      throw new AssertionError(
          "parked "
              + bytes
              + " bytes (counted "
              + parkedBytes
              + "), "
              + linked
              + " linked, "
              + marked
              + " marked; "
              + occupied
              + " occupied + "
              + freeIndexCount
              + " free of "
              + untouched);
    }
  }

  private int indexOf(Span span) {
    return (int) ((span.address() - base) / size.bytes());
  }
}
