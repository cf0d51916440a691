package dev.weir.netty.write;

import dev.weir.netty.log.FailureLog;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.EventExecutor;
import org.jspecify.annotations.Nullable;

/**
 * The writes of one channel that are not over, in a list through themselves. Used on the channel's
 * event loop. When the channel has closed, and its handlers have had their turn to give back what
 * they hold, the writes that are left are abandoned; or when the loop ends without that.
 */
final class OwnedWrites {
  private static final AttributeKey<OwnedWrites> KEY =
      AttributeKey.valueOf(OwnedWrites.class, "writes");

  private static final FailureLog FAILURES = new FailureLog(OwnedWrites.class);

  /** A channel that has closed is deregistered a task or two later. */
  private static final int MAX_HOPS = 16;

  private final Channel channel;

  /** The loop whose end is awaited: the channel's when it was last given a write. */
  private @Nullable EventLoop loop;

  private @Nullable LoopEnd loopEnd;

  /** Where it is among those that await that end; guarded by it. -1: nowhere. */
  int placeAtEnd = -1;

  /** Whether that loop has ended. */
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
    OwnedWrites writes = channel.attr(KEY).get();
    if (writes == null) {
      OwnedWrites made = new OwnedWrites(channel);
      channel.closeFuture().addListener(closed -> made.channelHasClosed());
      channel.attr(KEY).set(made);
      writes = made;
    }
    return writes;
  }

  /** Returns false, and leaves the write alone, if the event loop is at its end. */
  boolean add(OwnedWrite write) {
    EventLoop current = channel.eventLoop();
    if (!current.equals(loop)) {
      follow(current);
    }
    if (over) {
      return false;
    }
    forgetKept();
    OwnedWrite after = first;
    write.next = after;
    if (after != null) {
      after.previous = write;
    }
    first = write;
    return true;
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
  void keep(OwnedWrite write) {
    forgetKept();
    appendKept(write);
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
  int keptCount() {
    return count(firstKept);
  }

  /** How many writes are not over. */
  int openCount() {
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

  private void follow(EventLoop current) {
    if (loopEnd != null) {
      loopEnd.forget(this);
    }
    if (current.isShutdown()) {
      // Nothing tells of an end that is there.
      over = true;
      return;
    }
    loopEnd = LoopEnd.of(current);
    if (loopEnd != null) {
      loopEnd.await(this);
    }
    loop = current;
  }

  /** The loop ends, and is the caller. The transport gives back what encoders have made, too. */
  void closeWith(EventExecutor ending) {
    if (channel.eventLoop().equals(ending)) {
      channel.unsafe().close(channel.unsafe().voidPromise());
    }
  }

  /** The loop has run its last task, and is the caller. */
  void endWith(EventExecutor ended) {
    if (channel.eventLoop().equals(ended)) {
      over = true;
      abandonAll();
    }
  }

  /** The transport fails what it has queued after it has told of the close. */
  private void channelHasClosed() {
    if (loopEnd != null) {
      loopEnd.forget(this);
    }
    if (first == null && firstKept == null) {
      return;
    }
    abandonBehindHandlers(MAX_HOPS);
  }

  /** Handlers hear of the close in a task that comes behind this, and then are removed. */
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
    } catch (Throwable endedOrNoHeap) {
      abandonAll();
    }
  }

  /** Those of a stream of HTTP/2 hear of the close after those of its connection. */
  private boolean hasHandlersOfStreams() {
    for (OwnedWrite write = first; write != null; write = write.next) {
      if (write.hasHandlers()) {
        return true;
      }
    }
    return false;
  }

  private void abandonAll() {
    for (OwnedWrite write = first; write != null; write = first) {
      remove(write);
      abandon(write);
    }
    for (OwnedWrite write = pollKept(); write != null; write = pollKept()) {
      abandon(write);
    }
  }

  /** One that cannot be released keeps none of the others. */
  private static void abandon(OwnedWrite write) {
    try {
      write.abandon();
    } catch (Throwable failure) {
      FAILURES.report("a message that was not written is not released", failure);
    }
  }
}
