package dev.weir.memory.heap;

import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.Span;
import dev.weir.memory.pages.SpanSize;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;

/**
 * Looks through all slabs, from outside and without stopping anybody, for free slots that may leave
 * whole pages free, and has the slabs' heaps unlink them. For one thread at a time.
 *
 * <p>What it sees may be out of date: the heaps look again.
 */
public final class SlabSurvey {
  private final PageHeap pages;

  /** A survey of the slabs of one pool. */
  @SuppressWarnings("exports") // for the pool only: nobody else has a page heap
  public SlabSurvey(PageHeap pages) {
    this.pages = pages;
  }

  /** A slab and about how many bytes of free pages it has. */
  private record Candidate(Slab slab, long bytes) {}

  /**
   * Unlinks the free pages that nobody has used since the last call: called every half decay time,
   * it finds each page between a half and a whole one after its last use. Of a slab that was left
   * alone, these are all free pages. Of another, they lie under the slots that stayed at the bottom
   * of its stack: the idea of tcmalloc's low-water marks.
   */
  public void unlinkAged() {
    List<Slab> aged = new ArrayList<>();
    for (Slab slab : slabs()) {
      slab.agedSlots = agedSlots(slab);
      slab.beginInterval();
      slab.seenLowWater = slab.lowWater();
      if (slab.agedSlots > 0) {
        aged.add(slab);
      }
    }
    unlink(aged, /* agedOnly= */ true);
  }

  private int agedSlots(Slab slab) {
    int unusedBytes = slab.unusedBytes();
    boolean isUntouched =
        unusedBytes == slab.seenUnusedBytes && slab.lowWater() == slab.seenLowWater;
    // Slots were taken and came back: as many are free, but perhaps others.
    boolean isStirred = slab.lowWater() < slab.seenLowWater;
    if (isStirred || (unusedBytes != slab.seenUnusedBytes && unusedBytes != slab.barrenBytes)) {
      slab.barrenBytes = 0;
    }
    slab.seenUnusedBytes = unusedBytes;
    if (isUntouched) {
      return isDue(slab) ? Slab.ALL : 0;
    }
    int idleSlots = slab.idleSlots();
    if (idleSlots < slab.barrenSlots) {
      slab.barrenSlots = 0; // Those at the bottom were taken: others lie there from now on.
    }
    boolean isWorthALook =
        idleSlots * slab.slotBytes() >= pages.pageBytes() && idleSlots != slab.barrenSlots;
    return isWorthALook ? idleSlots : 0;
  }

  /**
   * If slabs keep more free pages than even those that have a use may be, unlinks those of the
   * emptiest until half of that is left. Heaps that have grown since the last call see to that
   * themselves, and are left alone; this is for those that do not while others grow.
   */
  public void unlinkExcess() {
    long ceilingBytes = pages.usefulInsideBytes();
    List<Candidate> candidates = new ArrayList<>();
    IdentityHashMap<Heap, Boolean> growing = new IdentityHashMap<>();
    long totalBytes = 0;
    long bytesOfAll = 0;
    for (Slab slab : slabs()) {
      long bytes = slab.newlyIdleBytes(pages.pageBytes());
      bytesOfAll += bytes;
      if (bytes > 0 && !growing.computeIfAbsent(slab.heap(), heap -> heap.sweep().haveMoved())) {
        candidates.add(new Candidate(slab, bytes));
        totalBytes += bytes;
      }
    }
    pages.surveyedInside(bytesOfAll > ceilingBytes);
    if (totalBytes <= ceilingBytes) {
      return;
    }
    candidates.sort(Comparator.comparingLong(Candidate::bytes).reversed());
    List<Slab> wanted = new ArrayList<>();
    for (Candidate candidate : candidates) {
      if (totalBytes <= ceilingBytes / 2) {
        break;
      }
      wanted.add(candidate.slab);
      totalBytes -= candidate.bytes;
    }
    unlink(wanted, /* agedOnly= */ false);
  }

  private List<Slab> slabs() {
    List<Slab> slabs = new ArrayList<>();
    for (SpanSize size : SpanSize.values()) {
      for (Span span : pages.spans(size)) {
        if (span instanceof Slab slab && slab.isOpen()) {
          slabs.add(slab);
        }
      }
    }
    return slabs;
  }

  /**
   * Whether a slab may have free pages: a page's worth is unused, and something has moved since the
   * last look. A single slot may be the last one on each of two pages.
   */
  boolean isDue(Slab slab) {
    int unusedBytes = slab.unusedBytes();
    return unusedBytes >= pages.pageBytes() && unusedBytes != slab.barrenBytes;
  }

  private static void unlink(List<Slab> candidates, boolean agedOnly) {
    IdentityHashMap<Heap, List<Slab>> byHeap = new IdentityHashMap<>();
    for (Slab slab : candidates) {
      byHeap.computeIfAbsent(slab.heap(), first -> new ArrayList<>()).add(slab);
    }
    byHeap.forEach((heap, slabs) -> HeapTrimmer.unlink(heap, slabs, agedOnly));
  }
}
