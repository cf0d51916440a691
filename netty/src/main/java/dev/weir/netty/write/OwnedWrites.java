package dev.weir.netty.write;

import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The writes of one channel that are not over, in a list through themselves. Used on the channel's
 * event loop. When the channel has closed, and its handlers have had their turn to give back what
 * they hold, the writes that are left are abandoned.
 */
final class OwnedWrites {
  private static final AttributeKey<OwnedWrites> KEY =
      AttributeKey.valueOf(OwnedWrites.class, "writes");

  private @Nullable OwnedWrite first;

  /** Those whose sender has given up while handlers still had them. */
  private final ArrayDeque<OwnedWrite> cancelled = new ArrayDeque<>(0);

  private OwnedWrites() {}

  static OwnedWrites of(Channel channel) {
    OwnedWrites writes = channel.attr(KEY).get();
    if (writes == null) {
      writes = new OwnedWrites();
      channel.attr(KEY).set(writes);
      OwnedWrites made = writes;
      channel.closeFuture().addListener(closed -> made.abandonLater(channel));
    }
    return writes;
  }

  void add(OwnedWrite write) {
    forgetCancelled();
    OwnedWrite after = first;
    write.next = after;
    if (after != null) {
      after.previous = write;
    }
    first = write;
  }

  /** Has no effect on a write that has left the list. */
  void remove(OwnedWrite write) {
    OwnedWrite before = write.previous;
    OwnedWrite after = write.next;
    if (before != null) {
      before.next = after;
    } else if (first == write) {
      first = after;
    } else {
      return;
    }
    if (after != null) {
      after.previous = before;
    }
    write.previous = null;
    write.next = null;
  }

  /** Looks after a write that has left the list, until nothing of it is left. */
  void addCancelled(OwnedWrite write) {
    forgetCancelled();
    cancelled.add(write);
  }

  /** How many cancelled writes are still looked after. */
  int cancelledCount() {
    return cancelled.size();
  }

  /** How many writes are not over, without those that were cancelled. */
  int openCount() {
    int count = 0;
    for (OwnedWrite write = first; write != null; write = write.next) {
      count++;
    }
    return count;
  }

  /**
   * Writes mostly end in the order of their queue: forgets the oldest that have. One that a handler
   * keeps goes to the end, out of the way of those behind it.
   */
  private void forgetCancelled() {
    OwnedWrite oldest = cancelled.poll();
    while (oldest != null && oldest.isGone()) {
      oldest = cancelled.poll();
    }
    if (oldest != null) {
      cancelled.add(oldest);
    }
  }

  /** The transport fails what it has queued after it has told of the close. */
  private void abandonLater(Channel channel) {
    if (first == null && cancelled.isEmpty()) {
      return;
    }
    try {
      channel.eventLoop().execute(this::abandonAll);
    } catch (Throwable endedOrNoHeap) {
      abandonAll();
    }
  }

  private void abandonAll() {
    for (OwnedWrite write = first; write != null; write = first) {
      remove(write);
      write.abandon();
    }
    for (OwnedWrite write = cancelled.poll(); write != null; write = cancelled.poll()) {
      write.abandon();
    }
  }
}
