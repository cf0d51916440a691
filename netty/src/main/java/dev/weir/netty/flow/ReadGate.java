package dev.weir.netty.flow;

import io.netty.channel.ChannelHandler;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Stops reading from channels while memory is short. One gate serves all channels that draw from
 * the same memory; each pipeline gets a {@linkplain #newHandler() handler} of its own, before the
 * handlers that keep what was read.
 *
 * <p>The gate closes when a read leaves memory short, and opens when {@link Headroom#relief()} says
 * so: nothing polls. A channel is stopped only after a read, so each may bring in one receive
 * buffer more: the more channels there are, the earlier memory has to be called short.
 *
 * <p>No deadlock: channels that hold a permit are exempt ({@link ReadHolds#exempt()}) and go on
 * reading into memory that they have. Should the rest of the memory be held by stopped channels
 * alone, relief never comes by itself; then a wait for relief that ends in vain lets the channel
 * that has been stopped longest read until the gate opens, and another one once it reads no more,
 * so that one after another can complete. That takes memory too: what {@link Headroom} calls short
 * must leave enough for one channel's work.
 */
public final class ReadGate {
  private final Headroom headroom;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final ConcurrentLinkedQueue<ReadGateHandler> stopped = new ConcurrentLinkedQueue<>();
  private final AtomicLong closings = new AtomicLong();
  private volatile @Nullable ReadGateHandler letThrough;

  /** Makes an open gate that follows {@code headroom}. */
  public ReadGate(Headroom headroom) {
    this.headroom = headroom;
  }

  /** Makes the handler for one pipeline. */
  public ChannelHandler newHandler() {
    return new ReadGateHandler(this);
  }

  /** Whether channels are being stopped now. */
  public boolean isClosed() {
    return closed.get();
  }

  /** How often the gate has closed so far. */
  public long closings() {
    return closings.get();
  }

  /**
   * Called by a handler whose channel has just read. {@code true}: memory is short, and the handler
   * must stop reading and {@linkplain #await wait}.
   */
  boolean mustStop(ReadGateHandler handler) {
    if (!closed.get()) {
      if (!headroom.isShort() || !closed.compareAndSet(false, true)) {
        return closed.get();
      }
      closings.incrementAndGet();
      awaitRelief();
    }
    return closed.get() && !handler.readsThrough(closings.get());
  }

  /** Queues a stopped handler until the gate opens; resumes it at once if it has opened already. */
  void await(ReadGateHandler handler) {
    if (handler.markQueued()) {
      stopped.add(handler);
    }
    // Pairs with open(): either open() sees the handler in the queue, or this sees the gate open.
    // Whoever takes it out of the queue resumes it.
    if (!closed.get() && stopped.remove(handler)) {
      handler.markTaken();
      handler.resume();
    }
  }

  private void awaitRelief() {
    headroom
        .relief()
        .whenComplete((relieved, failure) -> {
          if (failure != null || relieved) {
            open();
            return;
          }
          if (!isOneReading()) {
            letOneThrough();
          }
          awaitRelief();
        });
  }

  private void open() {
    closed.set(false);
    for (ReadGateHandler next = stopped.poll(); next != null; next = stopped.poll()) {
      next.markTaken();
      next.resume();
    }
  }

  /** Whether the channel that was let through has read since the last time this was asked. */
  private boolean isOneReading() {
    ReadGateHandler one = letThrough;
    return one != null && one.takeProgress();
  }

  /** Lets the channel that has been stopped longest read until the gate opens. */
  private void letOneThrough() {
    letThrough = null;
    for (ReadGateHandler next = stopped.poll(); next != null; next = stopped.poll()) {
      next.markTaken();
      next.letThrough(closings.get());
      if (next.resume()) {
        letThrough = next;
        return;
      }
    }
  }
}
