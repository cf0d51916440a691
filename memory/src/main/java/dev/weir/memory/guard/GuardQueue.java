package dev.weir.memory.guard;

import org.jspecify.annotations.Nullable;

/** Guards in the order of their arrival, linked through themselves. Not thread-safe. */
final class GuardQueue {
  private @Nullable Guard oldest;
  private @Nullable Guard newest;
  private int size;
  private long bytes;

  int size() {
    return size;
  }

  /** Their pages, in bytes. */
  long bytes() {
    return bytes;
  }

  void add(Guard guard) {
    guard.next = null;
    if (newest == null) {
      oldest = guard;
    } else {
      newest.next = guard;
    }
    newest = guard;
    size++;
    bytes += guard.runBytes();
  }

  @Nullable Guard poll() {
    Guard guard = oldest;
    if (guard != null) {
      oldest = guard.next;
      if (oldest == null) {
        newest = null;
      }
      guard.next = null;
      size--;
      bytes -= guard.runBytes();
    }
    return guard;
  }

  @Nullable Guard at(long address) {
    for (Guard guard = oldest; guard != null; guard = guard.next) {
      if (guard.runAddress() <= address && address < guard.runAddress() + guard.runBytes()) {
        return guard;
      }
    }
    return null;
  }
}
