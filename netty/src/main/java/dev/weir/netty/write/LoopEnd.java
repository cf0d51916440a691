package dev.weir.netty.write;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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

  /** One that moves to another loop leaves from there. */
  private final Set<OwnedWrites> awaiting = ConcurrentHashMap.newKeySet();

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
    awaiting.add(writes);
    if (!closes) {
      loop.addShutdownHook(this::closeChannels);
      closes = true;
    }
  }

  /** From any thread. */
  void forget(OwnedWrites writes) {
    awaiting.remove(writes);
  }

  private void closeChannels() {
    closes = false;
    for (OwnedWrites writes : awaiting) {
      writes.closeWith(loop);
    }
  }

  private void come() {
    if (!loop.isShutdown()) {
      return; // Suspended, without channels.
    }
    for (OwnedWrites writes : awaiting) {
      writes.endWith(loop);
    }
  }
}
