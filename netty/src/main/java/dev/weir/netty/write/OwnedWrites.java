package dev.weir.netty.write;

import dev.weir.netty.log.FailureLog;
import io.netty.channel.Channel;
import io.netty.util.Attribute;
import io.netty.util.AttributeKey;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The writes of one channel that are not over, in a list through themselves. When the channel has
 * closed, and its handlers have had their turn to give back what they hold, the writes that are
 * left are abandoned. Thread-safe.
 */
final class OwnedWrites {
  private static final AttributeKey<OwnedWrites> KEY =
      AttributeKey.valueOf(OwnedWrites.class, "writes");

  private static final FailureLog FAILURES = new FailureLog(OwnedWrites.class);

  /** A channel that has closed is deregistered a task or two later. */
  private static final int MAX_HOPS = 16;

  private final Channel channel;

  /** Whether all have been abandoned. Guarded by this, as what follows. */
  private boolean over;

  private @Nullable OwnedWrite first;

  /**
   * Those that were cancelled, or have failed, while others still had them, in a queue by the same
   * links.
   */
  private @Nullable OwnedWrite firstKept;

  private @Nullable OwnedWrite lastKept;

  private OwnedWrites(Channel channel) {
    this.channel = channel;
  }

  static OwnedWrites of(Channel channel) {
    Attribute<OwnedWrites> attribute = channel.attr(KEY);
    OwnedWrites known = attribute.get();
    if (known != null) {
      return known;
    }
    OwnedWrites fresh = new OwnedWrites(channel);
    OwnedWrites other = attribute.setIfAbsent(fresh);
    if (other != null) {
      return other;
    }
    channel
        .closeFuture()
        .addListener(closed -> {
          if (!fresh.endIfEmpty()) {
            fresh.abandonBehindHandlers(MAX_HOPS);
          }
        });
    return fresh;
  }

  /**
   * Adds a write whose message the pipeline gets from here on. Returns false, and leaves the write
   * alone, if the channel has closed, and its handlers gone.
   */
  synchronized boolean add(OwnedWrite write) {
    if (over) {
      return false;
    }
    write.hand(); // Before anybody can abandon it, and not if nobody would.
    forgetKept();
    OwnedWrite after = first;
    write.next = after;
    if (after != null) {
      after.previous = write;
    }
    first = write;
    return true;
  }

  /** Returns false, and has no effect, if the write has left the list. */
  synchronized boolean remove(OwnedWrite write) {
    OwnedWrite before = write.previous;
    OwnedWrite after = write.next;
    if (before != null) {
      before.next = after;
    } else if (first == write) {
      first = after;
    } else {
      return false;
    }
    if (after != null) {
      after.previous = before;
    }
    write.previous = null;
    write.next = null;
    return true;
  }

  /**
   * Looks after a write that has left the list, until nothing of it is left. Returns false, and
   * leaves it to the caller, if all have been abandoned since.
   */
  synchronized boolean keep(OwnedWrite write) {
    if (over) {
      return false;
    }
    forgetKept();
    appendKept(write);
    return true;
  }

  private void appendKept(OwnedWrite write) {
    OwnedWrite before = lastKept;
    if (before == null) {
      firstKept = write;
    } else {
      before.next = write;
    }
    lastKept = write;
  }

  private @Nullable OwnedWrite pollKept() {
    OwnedWrite oldest = firstKept;
    if (oldest != null) {
      firstKept = oldest.next;
      oldest.next = null;
      if (firstKept == null) {
        lastKept = null;
      }
    }
    return oldest;
  }

  /** How many writes are over and still looked after. */
  synchronized int keptCount() {
    return count(firstKept);
  }

  /** How many writes are not over. */
  synchronized int openCount() {
    return count(first);
  }

  private static int count(@Nullable OwnedWrite from) {
    int count = 0;
    for (OwnedWrite write = from; write != null; write = write.next) {
      count++;
    }
    return count;
  }

  /**
   * Writes mostly end in the order of their queue: forgets the oldest that have. One that a handler
   * keeps goes to the end, out of the way of those behind it.
   */
  private void forgetKept() {
    OwnedWrite oldest = pollKept();
    while (oldest != null && oldest.isGone()) {
      oldest = pollKept();
    }
    if (oldest != null) {
      appendKept(oldest);
    }
  }

  /**
   * The transport fails what it has queued after it has told of the close. Handlers hear of it in a
   * task that comes behind this, and then are removed.
   */
  private void abandonBehindHandlers(int hops) {
    try {
      channel
          .eventLoop()
          .execute(() -> {
            if (hops > 0 && (channel.isRegistered() || hasHandlersOfStreams())) {
              abandonBehindHandlers(hops - 1);
            } else {
              abandonAll();
            }
          });
    } catch (RejectedExecutionException eventLoopHasEnded) {
      abandonAll();
    }
  }

  private synchronized boolean endIfEmpty() {
    over = first == null && firstKept == null;
    return over;
  }

  /** Those of a stream of HTTP/2 hear of the close after those of its connection. */
  private synchronized boolean hasHandlersOfStreams() {
    for (OwnedWrite write = first; write != null; write = write.next) {
      if (write.hasHandlers()) {
        return true;
      }
    }
    return false;
  }

  private void abandonAll() {
    for (OwnedWrite write = takeAny(); write != null; write = takeAny()) {
      try {
        write.abandon();
      } catch (Throwable failure) {
        // One that cannot be released keeps none of the others.
        FAILURES.report("a message that was not written is not released", failure);
      }
    }
  }

  private synchronized @Nullable OwnedWrite takeAny() {
    over = true;
    OwnedWrite write = first;
    if (write != null) {
      remove(write);
      return write;
    }
    return pollKept();
  }
}
