package dev.weir.memory.pages;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A region of equal-sized spans: open ones, retired ones (free, but with dirty pages and whatever
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

  private @Nullable Span oldestRetired;
  private @Nullable Span newestRetired;
  private final @Nullable Span[] newestRetiredOfKind;
  private long retiredBytes;

  SpanRegion(SpanSize size, long base, int capacity, int kinds) {
    this.size = size;
    this.base = base;
    this.capacity = capacity;
    this.newestRetiredOfKind = new Span[kinds];
  }

  long retiredBytes() {
    return retiredBytes;
  }

  /** Copies the spans from an index on, and nulls, to the same places; all below the extent. */
  void copySpans(int from, int count, @Nullable Span[] target) {
    System.arraycopy(spans, from, target, from, count);
  }

  /** How many addresses have ever been used; those behind them are clean. */
  int extent() {
    return untouched;
  }

  /** The open or retired span at an index below {@link #extent}, or null. */
  @Nullable Span at(int index) {
    return spans[index];
  }

  /** The span of this kind that was retired last, or null. */
  @Nullable Span newestRetired(int kind) {
    return newestRetiredOfKind[kind];
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

  /** Gives a fresh span the address and the dirty pages of a retired one, which is gone then. */
  void replaceRetired(Span victim, Span fresh) {
    unretire(victim);
    fresh.inherit(victim);
    spans[indexOf(victim)] = fresh;
  }

  /** Frees the address of a span that has no resident page and is not retired. */
  void close(Span span) {
    int index = indexOf(span);
    if (spans[index] != span) {
      throw new IllegalStateException("span " + index + " is not the one to close");
    }
    spans[index] = null;
    freeIndices[freeIndexCount++] = index;
  }

  void retire(Span span) {
    if (span.retired) {
      throw new IllegalStateException("span " + indexOf(span) + " is retired already");
    }
    span.retired = true;
    span.young = true;
    span.older = newestRetired;
    if (newestRetired == null) {
      oldestRetired = span;
    } else {
      newestRetired.newer = span;
    }
    newestRetired = span;
    Span ofKind = newestRetiredOfKind[span.kind()];
    span.olderOfKind = ofKind;
    if (ofKind != null) {
      ofKind.newerOfKind = span;
    }
    newestRetiredOfKind[span.kind()] = span;
    retiredBytes += span.committedBytes();
  }

  /** The span that has been retired longest, or null. */
  @Nullable Span oldestRetired() {
    return oldestRetired;
  }

  void unretire(Span span) {
    Span older = span.older;
    Span newer = span.newer;
    if (older == null) {
      oldestRetired = newer;
    } else {
      older.newer = newer;
    }
    if (newer == null) {
      newestRetired = older;
    } else {
      newer.older = older;
    }
    Span olderOfKind = span.olderOfKind;
    Span newerOfKind = span.newerOfKind;
    if (olderOfKind != null) {
      olderOfKind.newerOfKind = newerOfKind;
    }
    if (newerOfKind == null) {
      newestRetiredOfKind[span.kind()] = olderOfKind;
    } else {
      newerOfKind.olderOfKind = olderOfKind;
    }
    span.older = null;
    span.newer = null;
    span.olderOfKind = null;
    span.newerOfKind = null;
    span.retired = false;
    retiredBytes -= span.committedBytes();
  }

  /** Ends the youth of every retired span. */
  void age() {
    for (Span span = newestRetired; span != null && span.young; span = span.older) {
      span.young = false;
    }
  }

  /** Evaluates: every retired span is in its place, once, and their bytes add up. */
  void checkInvariants() {
    long bytes = 0;
    int linked = 0;
    for (Span span = oldestRetired; span != null; span = span.newer) {
      if (!span.retired || spans[indexOf(span)] != span) {
        throw new AssertionError("retired span " + indexOf(span) + " is not in its place");
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
        marked += span.retired ? 1 : 0;
      }
    }
    if (bytes != retiredBytes || linked != marked || occupied + freeIndexCount != untouched) {
      throw new AssertionError(
          "retired "
              + bytes
              + " bytes (counted "
              + retiredBytes
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
