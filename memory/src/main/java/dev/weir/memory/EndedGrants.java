package dev.weir.memory;

import dev.weir.memory.WaitingGrant.End;
import org.jspecify.annotations.Nullable;

/** Requests that wait no longer, and whose futures are to be completed once no lock is held. */
final class EndedGrants {
  private @Nullable WaitingGrant first;
  private @Nullable WaitingGrant last;

  void add(WaitingGrant request, End end) {
    request.end = end;
    WaitingGrant before = last;
    if (before == null) {
      first = request;
    } else {
      before.next = request;
    }
    last = request;
  }

  /** The one that ended first, the others behind it; null: none. */
  @Nullable WaitingGrant first() {
    return first;
  }

  /** Takes out the one that ended first; null: there is none. */
  @Nullable WaitingGrant poll() {
    WaitingGrant request = first;
    if (request != null) {
      first = request.next;
      last = first == null ? null : last;
      request.next = null;
    }
    return request;
  }

  /** Adds all of another list, which is empty afterwards. */
  void takeAll(EndedGrants other) {
    for (WaitingGrant request = other.poll(); request != null; request = other.poll()) {
      add(request, request.end);
    }
  }
}
