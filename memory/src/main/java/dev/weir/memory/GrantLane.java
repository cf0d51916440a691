package dev.weir.memory;

import dev.weir.memory.WaitingGrant.End;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one lane, in the order of their arrival, with a cursor for those who go through
 * them.
 *
 * <p>Not thread-safe: the queue's lock guards it. Linked through the requests, so that to wait
 * needs no memory of its own.
 */
final class GrantLane {
  private @Nullable WaitingGrant first;
  private @Nullable WaitingGrant last;
  private int size;

  /** The cursor, and the request before it. */
  private @Nullable WaitingGrant at;

  private @Nullable WaitingGrant before;

  /** Whether one that waits here waits for pages: then nobody of the lane overtakes it. */
  boolean isShortOfPages;

  int size() {
    return size;
  }

  void add(WaitingGrant request) {
    WaitingGrant end = last;
    if (end == null) {
      first = request;
    } else {
      end.next = request;
    }
    last = request;
    size++;
  }

  /** Places the cursor on the first. */
  void rewind() {
    at = first;
    before = null;
    isShortOfPages = false;
  }

  /** The one that the cursor is on; null: there are no more. */
  @Nullable WaitingGrant at() {
    return at;
  }

  /** Leaves the one at the cursor where it is. */
  void pass() {
    WaitingGrant passed = at;
    if (passed != null) {
      before = passed;
      at = passed.next;
    }
  }

  /** Leaves all that follow where they are. */
  void passAll() {
    at = null;
    before = null;
  }

  /** Takes the one at the cursor out. */
  void remove() {
    WaitingGrant request = at;
    if (request == null) {
      return;
    }
    at = request.next;
    if (before == null) {
      first = request.next;
    } else {
      before.next = request.next;
    }
    if (request.next == null) {
      last = before;
    }
    request.next = null;
    size--;
  }

  /** Adds the first that wait. */
  void addFirst(List<WaitingGrant> found, int most) {
    WaitingGrant request = first;
    for (int i = 0; i < most && request != null; i++) {
      found.add(request);
      request = request.next;
    }
  }

  /** Takes all out: the queue is closed. */
  void endAll(EndedGrants ended) {
    rewind();
    for (WaitingGrant request = at; request != null; request = at) {
      remove();
      ended.add(request, End.CLOSED);
    }
  }
}
