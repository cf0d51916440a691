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
   * Unlinks the free pages of slabs in which nothing was allocated or freed since the last call:
   * called every half decay time, it finds each page between a half and a whole one after its last
   * use.
   */
  public void unlinkAged() {
    List<Slab> aged = new ArrayList<>();
    for (Slab slab : slabs()) {
      int unusedBytes = slab.unusedBytes();
      if (unusedBytes != slab.seenUnusedBytes) {
        slab.seenUnusedBytes = unusedBytes;
        if (unusedBytes != slab.barrenBytes) {
          slab.barrenBytes = 0;
        }
      } else if (isDue(slab)) {
        aged.add(slab);
      }
    }
    unlink(aged);
  }

  /**
   * If slabs keep more free pages than even those that have a use may be, unlinks those of the
   * emptiest until half of that is left. Heaps that have grown since the last call see to that
   * themselves, and are left alone; this is for those that do not while others grow.
   */
  public void unlinkExcess() {
    long ceilingBytes = pages.insideHardCeilingBytes();
    List<Candidate> candidates = new ArrayList<>();
    IdentityHashMap<Heap, Boolean> growing = new IdentityHashMap<>();
    long totalBytes = 0;
    for (Slab slab : slabs()) {
      long bytes = slab.newlyIdleBytes(pages.pageBytes());
      if (bytes > 0 && !growing.computeIfAbsent(slab.heap(), heap -> heap.rounds().haveMoved())) {
        candidates.add(new Candidate(slab, bytes));
        totalBytes += bytes;
      }
    }
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
    unlink(wanted);
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

  private static void unlink(List<Slab> candidates) {
    IdentityHashMap<Heap, List<Slab>> byHeap = new IdentityHashMap<>();
    for (Slab slab : candidates) {
      byHeap.computeIfAbsent(slab.heap(), first -> new ArrayList<>()).add(slab);
    }
    byHeap.forEach(Trims::unlink);
  }
}
