package dev.weir.memory;

import dev.weir.memory.WaitingGrant.End;
import java.util.function.Consumer;
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

  /** In the order in which they have ended. */
  void forEach(Consumer<WaitingGrant> action) {
    for (WaitingGrant request = first; request != null; request = request.next) {
      action.accept(request);
    }
  }
}
