package dev.weir.memory.pages;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The purges inside open spans that have been announced and have not ended, known by the sets of
 * pages that they give back, each a set of its own. Thread-safe.
 */
public final class InsidePurges {
  /** By identity, which is what page sets compare. */
  private final Set<PageSet> underWay = ConcurrentHashMap.newKeySet();

  InsidePurges() {}

  /**
   * Says that {@link PageHeap#purgeInside} is going to be called, so that others can wait for it.
   */
  public void announce(PageSet pages) {
    underWay.add(pages);
  }

  /** Says that it has come to an end, whichever; a second time does nothing. */
  public void ended(PageSet pages) {
    underWay.remove(pages);
  }

  /** Those that are under way now, to ask later whether they {@linkplain #haveEnded have ended}. */
  public Collection<PageSet> underWay() {
    return new ArrayList<>(underWay);
  }

  /** Whether none of these is under way any more, whatever was announced since. */
  public boolean haveEnded(Collection<PageSet> purges) {
    for (PageSet purge : purges) {
      if (underWay.contains(purge)) {
        return false;
      }
    }
    return true;
  }
}
