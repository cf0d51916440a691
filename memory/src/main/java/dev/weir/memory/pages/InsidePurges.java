package dev.weir.memory.pages;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The purges inside open spans that have been announced and have not ended. Thread-safe, and takes
 * no lock: heaps announce under theirs.
 */
/*
 * A number is taken before its purge enters the queue. So whatever has entered it when somebody looks how many there are
 * stands before all that take a number later, and has ended where one of these comes first. What has a number at that look
 * and is not in the queue yet may be missed: whoever must not miss it looks again behind the locks of all heaps, under
 * which they announce.
 */
public final class InsidePurges {
  private final Queue<Announced> underWay = new ConcurrentLinkedQueue<>();
  private final AtomicLong count = new AtomicLong();

  InsidePurges() {}

  /** One purge, which whoever announces it has in hand before, so that it can always end it. */
  public static final class Announced {
    private long number;
    private volatile boolean over;

    /** Before {@link InsidePurges#announce}. */
    public Announced() {}

    /**
     * Says that the purge has come to an end, whichever; a second time does nothing. Cannot fail,
     * whatever has ended the purge: others wait for it.
     */
    public void end() {
      over = true;
    }
  }

  /** Says that pages are going to be purged, so that others can wait for that. */
  public void announce(Announced purge) {
    dropEnded();
    purge.number = count.incrementAndGet();
    underWay.add(purge);
  }

  /** How many have been announced by now, to ask later whether they {@link #haveEnded}. */
  public long announced() {
    return count.get();
  }

  /**
   * Whether none of the first so many is under way any more, of those that {@link #announce} had
   * returned from.
   */
  public boolean haveEnded(long announced) {
    dropEnded();
    Announced oldest = underWay.peek();
    return oldest == null || oldest.number > announced;
  }

  private void dropEnded() {
    for (Announced oldest = underWay.peek();
        oldest != null && oldest.over;
        oldest = underWay.peek()) {
      underWay.remove(oldest);
    }
  }
}
