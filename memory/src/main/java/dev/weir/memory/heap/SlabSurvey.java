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

  /** A slab and about how many bytes of free pages it has. */
  private record Candidate(Slab slab, long bytes) {}

  /**
   * Asks for the free pages of slabs in which nothing was allocated or freed since the last call:
   * called every half decay time, it finds each page between a half and a whole one after its last
   * use.
   */
  public void unlinkAged() {
    List<Slab> aged = new ArrayList<>();
    for (Slab slab : slabs()) {
      int idleBytes = slab.idleBytes();
      if (idleBytes != slab.seenIdleBytes) {
        slab.seenIdleBytes = idleBytes;
        if (idleBytes != slab.barrenBytes) {
          slab.barrenBytes = 0;
        }
      } else if (isDue(slab)) {
        aged.add(slab);
      }
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
      long bytes = newlyIdlePageBytes(slab);
      if (bytes > 0) {
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

  /**
   * Whether a slab may have free pages: a page's worth is idle, and something has moved since the
   * last look. A single slot may be the last one on each of two pages.
   */
  boolean isDue(Slab slab) {
    int idleBytes = slab.idleBytes();
    return idleBytes >= pages.osPageBytes() && idleBytes != slab.barrenBytes;
  }

  /** What has become idle since the last look, in whole pages: a guess at what lies free. */
  private long newlyIdlePageBytes(Slab slab) {
    long idleBytes = (long) slab.idleBytes() - slab.barrenBytes;
    return idleBytes / pages.osPageBytes() * pages.osPageBytes();
  }

  private static void request(List<Slab> candidates) {
    IdentityHashMap<Heap, List<Slab>> byHeap = new IdentityHashMap<>();
    for (Slab slab : candidates) {
      List<Slab> slabs = byHeap.computeIfAbsent(slab.heap(), first -> new ArrayList<>());
      if (slabs.size() < MAX_SLABS_A_REQUEST) {
        slabs.add(slab);
      }
    }
    byHeap.forEach(Heap::requestUnlink);
  }
}
