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
 * whole pages free, and asks the slabs' heaps to unlink them. For one thread at a time.
 *
 * <p>What it sees may be out of date: the heaps look again.
 */
public final class SlabSurvey {
  /**
   * The most slabs that one heap is asked for at a time, so that its owner is busy for 1 ms at
   * most.
   */
  private static final int MAX_SLABS_A_REQUEST = 256;

  private final PageHeap pages;

  /** A survey of the slabs of one pool. */
  @SuppressWarnings("exports") // for the pool only: nobody else has a page heap
  public SlabSurvey(PageHeap pages) {
    this.pages = pages;
  }

  /** A slab and how many bytes of free pages it has at most. */
  private record Candidate(Slab slab, long maxBytes) {}

  /**
   * Asks for the free pages of slabs in which nothing was allocated or freed since the last call:
   * called every half decay time, it finds each page between a half and a whole one after its last
   * use.
   */
  public void unlinkAged() {
    List<Candidate> aged = new ArrayList<>();
    for (Slab slab : slabs()) {
      int free = slab.freeLocalOpaque();
      slab.barrenFree = Math.min(slab.barrenFree, free);
      Candidate candidate = new Candidate(slab, maxFreePageBytes(slab, free));
      if (candidate.maxBytes > 0 && free == slab.seenFree) {
        aged.add(candidate);
      }
      slab.seenFree = free;
    }
    request(aged);
  }

  /**
   * If slabs keep more than {@code ceilingBytes} of free pages, asks for those of the emptiest
   * until half of that is left, so that steady churn does not call often.
   */
  public void unlinkAbove(long ceilingBytes) {
    List<Candidate> candidates = new ArrayList<>();
    long totalBytes = 0;
    for (Slab slab : slabs()) {
      long maxBytes = maxFreePageBytes(slab, slab.freeLocalOpaque());
      if (maxBytes > 0) {
        candidates.add(new Candidate(slab, maxBytes));
        totalBytes += maxBytes;
      }
    }
    if (totalBytes <= ceilingBytes) {
      return;
    }
    candidates.sort(Comparator.comparingLong(Candidate::maxBytes).reversed());
    List<Candidate> wanted = new ArrayList<>();
    for (Candidate candidate : candidates) {
      if (totalBytes <= ceilingBytes / 2) {
        break;
      }
      wanted.add(candidate);
      totalBytes -= candidate.maxBytes;
    }
    request(wanted);
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

  /** So many bytes of whole pages at most lie under slots that were freed since the last look. */
  private long maxFreePageBytes(Slab slab, int free) {
    long freedBytes = (long) (free - slab.barrenFree) * slab.blockBytes();
    return freedBytes / pages.osPageBytes() * pages.osPageBytes();
  }

  private static void request(List<Candidate> candidates) {
    IdentityHashMap<Heap, List<Slab>> byHeap = new IdentityHashMap<>();
    for (Candidate candidate : candidates) {
      List<Slab> slabs = byHeap.computeIfAbsent(candidate.slab.heap(), first -> new ArrayList<>());
      if (slabs.size() < MAX_SLABS_A_REQUEST) {
        slabs.add(candidate.slab);
      }
    }
    byHeap.forEach(Heap::requestUnlink);
  }
}
