package dev.weir.netty.write;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The end of one event loop, for the channels that messages were given to. Netty closes the
 * channels of a loop that ends, but not always: one that is told to end by a task of its own, or
 * between two of its looks, forgets them. They are closed here while the loop can still do that.
 *
 * <p>One may stay open all the same, when it lingers (SO_LINGER) or comes too late. Its writes are
 * abandoned on the loop's thread, which has run its last task: Netty has it give up its variables
 * then, before it tells that the loop has ended.
 */
final class LoopEnd {
  private static final FastThreadLocal<LoopEnd> OF_THREAD =
      new FastThreadLocal<>() {
        @Override
        protected void onRemoval(LoopEnd end) {
          end.come();
        }
      };

  private final SingleThreadEventExecutor loop;

  /**
   * Those that await it, each of which knows its place; guarded by this, as their places are. A
   * loop may end where there is no Java heap for a walk through another collection.
   */
  private @Nullable OwnedWrites[] awaiting = new OwnedWrites[4];

  private int count;

  /** Whether the loop closes those that await its end. */
  private boolean closes;

  private LoopEnd(SingleThreadEventExecutor loop) {
    this.loop = loop;
  }

  /** Of the calling loop; null of one without a thread of its own, whose end is not seen here. */
  static @Nullable LoopEnd of(EventExecutor loop) {
    if (!(loop instanceof SingleThreadEventExecutor single)) {
      return null;
    }
    LoopEnd end = OF_THREAD.getIfExists();
    if (end == null) {
      end = new LoopEnd(single);
      OF_THREAD.set(end);
    }
    return end;
  }

  void await(OwnedWrites writes) {
    enter(writes);
    if (!closes) {
      loop.addShutdownHook(this::closeChannels);
      closes = true;
    }
  }

  private synchronized void enter(OwnedWrites writes) {
    if (count == awaiting.length) {
      awaiting = Arrays.copyOf(awaiting, 2 * count);
    }
    awaiting[count] = writes;
    writes.placeAtEnd = count;
    count++;
  }

  /** From any thread: one that moves to another loop leaves from there. */
  synchronized void forget(OwnedWrites writes) {
    int place = writes.placeAtEnd;
    if (place < 0) {
      return;
    }
    count--;
    OwnedWrites last = awaiting[count];
    awaiting[count] = null;
    if (last != null && place < count) {
      awaiting[place] = last;
      last.placeAtEnd = place;
    }
    writes.placeAtEnd = -1;
  }

  private synchronized int count() {
    return count;
  }

  /** Null where fewer are left: then those before it are, which are come to later. */
  private synchronized @Nullable OwnedWrites at(int place) {
    return place < count ? awaiting[place] : null;
  }

  private void closeChannels() {
    closes = false;
    // From the last on: who leaves meanwhile makes way for one that has had its turn.
    for (int i = count() - 1; i >= 0; i--) {
      OwnedWrites writes = at(i);
      if (writes != null) {
        writes.closeWith(loop);
      }
    }
  }

  private void come() {
    if (!loop.isShutdown()) {
      return; // Suspended, without channels.
    }
    for (int i = count() - 1; i >= 0; i--) {
      OwnedWrites writes = at(i);
      if (writes != null) {
        writes.endWith(loop);
      }
    }
  }
}
