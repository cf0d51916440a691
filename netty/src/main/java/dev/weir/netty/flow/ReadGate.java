package dev.weir.netty.flow;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Stops reading from channels while memory is short. One gate serves all channels that draw from
 * the same memory; each pipeline gets a {@linkplain #newHandler() handler} of its own, before the
 * handlers that keep what was read, and each server channel a {@linkplain #newListenerHandler()
 * listener's}. A channel belongs to one gate: of two the first that opens would let it read. It
 * stays on the event loop that it was registered with first.
 *
 * <p>What was begun comes before what is new. When memory becomes {@linkplain Headroom#isTight()
 * tight}, listeners stop accepting, and channels that hold more than the average of those that hold
 * anything stop reading; when it is {@linkplain Headroom#isShort() short}, all others do too.
 * {@link Headroom#relief()} opens the gate, for those that hold most first, for listeners last:
 * nothing polls. A channel is stopped only after a read, so each may bring in one receive buffer
 * more: the more channels there are, the earlier memory has to be called short.
 *
 * <p>No deadlock: channels that hold a permit are exempt ({@link ReadHolds#exempt()}) and go on
 * reading into memory that they have. Should the rest of the memory be held by stopped channels
 * alone, relief never comes by itself; then a wait for relief that ends in vain lets one channel
 * read until the gate opens, and another one once it reads no more, so that one after another can
 * complete: the one that holds most, or has been stopped longest. Nobody waits for a channel that
 * gets its permit meanwhile. A turn takes memory too: what {@link Headroom} calls short must leave
 * enough for one channel's work.
 *
 * <p>A stream of HTTP/2 is a channel here: a handler in the stream's pipeline stops that stream by
 * its flow-control window, once {@link Http2Windows#perStream} keeps it from using up the
 * connection's.
 */
public final class ReadGate {
  /** Whom the gate stops. */
  private enum Level {
    /** Nobody. */
    OPEN,
    /** Listeners, and channels that hold much. */
    LARGEST,
    /** All that have no permit. */
    ALL
  }

  private final Headroom headroom;

  /** Null: all channels are equal. */
  private final @Nullable HeldBytes held;

  private final AtomicReference<Level> level = new AtomicReference<>(Level.OPEN);

  /** The stopped channels by their tickets, which rise: any of them can leave without a search. */
  private final ConcurrentSkipListMap<Long, ReadGateHandler> stopped =
      new ConcurrentSkipListMap<>();

  private final AtomicLong tickets = new AtomicLong();
  private final Set<ReadGateHandler> channels = ConcurrentHashMap.newKeySet();
  private final Set<ReadGateHandler> listeners = ConcurrentHashMap.newKeySet();
  private final AtomicLong closings = new AtomicLong();
  private final AtomicLong pauses = new AtomicLong();
  private final AtomicLong turns = new AtomicLong();
  private volatile long largeBytes;
  private volatile @Nullable ReadGateHandler letThrough;

  /** Makes an open gate that follows {@code headroom}, and takes all channels for equal. */
  public ReadGate(Headroom headroom) {
    this(headroom, /* held= */ (HeldBytes) null);
  }

  /**
   * Makes an open gate that stops the largest holders first.
   *
   * @param heldBytes what a channel holds, from any thread: the charge of its budget, for instance.
   *     May be asked of a channel that is closing; a failure counts as 0, and is logged once
   */
  public ReadGate(Headroom headroom, ToLongFunction<? super Channel> heldBytes) {
    this(headroom, new HeldBytes(heldBytes));
  }

  private ReadGate(Headroom headroom, @Nullable HeldBytes held) {
    this.headroom = headroom;
    this.held = held;
  }

  /** Makes the handler for one pipeline. */
  public ChannelHandler newHandler() {
    return new ReadGateHandler(this, /* isListener= */ false);
  }

  /**
   * Makes the handler for the pipeline of a server channel ({@code ServerBootstrap.handler}): new
   * connections wait in the system's queue while memory is tight.
   */
  public ChannelHandler newListenerHandler() {
    return new ReadGateHandler(this, /* isListener= */ true);
  }

  /** Whether channels are being stopped now, if perhaps not all. */
  public boolean isClosed() {
    return level.get() != Level.OPEN;
  }

  /** How often the gate has closed so far. */
  public long closings() {
    return closings.get();
  }

  /**
   * How many channels wait now for the gate to open, listeners not among them. One that gets a
   * permit meanwhile is counted until its next read.
   */
  public int pausedChannels() {
    return stopped.size();
  }

  /** How often a channel has been stopped so far, listeners not among them. */
  public long pauses() {
    return pauses.get();
  }

  /** How often relief has not come in time so far, and one stopped channel was let read. */
  public long turns() {
    return turns.get();
  }

  void added(ReadGateHandler handler) {
    if (handler.isListener()) {
      listeners.add(handler);
      if (isClosed()) {
        handler.stopNow();
      }
    } else if (held != null) {
      channels.add(handler);
    }
  }

  void removed(ReadGateHandler handler) {
    listeners.remove(handler);
    channels.remove(handler);
    leaveQueue(handler);
  }

  private void leaveQueue(ReadGateHandler handler) {
    if (handler.isQueued() && stopped.remove(handler.ticket(), handler)) {
      handler.markTaken();
    }
  }

  /**
   * Called by a handler whose channel has just read. {@code true}: memory is short, and the handler
   * must stop reading and {@linkplain #await wait}.
   */
  boolean mustStop(ReadGateHandler handler) {
    Level now = level.get();
    if (now != Level.ALL) {
      if (headroom.isShort()) {
        now = close(Level.ALL);
      } else if (now == Level.OPEN && headroom.isTight()) {
        now = close(Level.LARGEST);
      }
    }
    if (now != Level.OPEN && handler.isExempt()) {
      // It needs no turn, and may have been stopped before it got its permit.
      leaveQueue(handler);
      return false;
    }
    return switch (now) {
      case OPEN -> false;
      case LARGEST ->
          handler.isListener() || (!handler.readsThrough(closings.get()) && isLarge(handler));
      case ALL -> handler.isListener() || !handler.readsThrough(closings.get());
    };
  }

  /** Queues a stopped handler until the gate opens; resumes it at once if it has opened already. */
  void await(ReadGateHandler handler) {
    if (handler.isListener()) {
      if (!isClosed()) {
        handler.resume();
      }
      return;
    }
    if (handler.markQueued(tickets)) {
      stopped.put(handler.ticket(), handler);
      pauses.incrementAndGet();
    }
    // Pairs with open(): either open() sees the handler in the queue, or this sees the gate open.
    // Whoever takes it out of the queue resumes it.
    if (!isClosed() && stopped.remove(handler.ticket(), handler)) {
      handler.markTaken();
      handler.resume();
    }
  }

  /** Closes the gate for {@code wanted}, or leaves it more closed than that. */
  private Level close(Level wanted) {
    Level before = level.get();
    while (before.compareTo(wanted) < 0) {
      if (before == Level.OPEN) {
        largeBytes = held == null ? 0 : held.average(channels);
      }
      if (level.compareAndSet(before, wanted)) {
        if (before == Level.OPEN) {
          closings.incrementAndGet();
          listeners.forEach(ReadGateHandler::stopNow);
          awaitRelief();
        }
        // Relief may have come at once.
        return level.get();
      }
      before = level.get();
    }
    return before;
  }

  private boolean isLarge(ReadGateHandler handler) {
    return held != null && held.of(handler) > largeBytes;
  }

  private void awaitRelief() {
    try {
      headroom.relief().whenComplete((relieved, failure) -> endWait(relieved));
    } catch (RuntimeException | Error failure) {
      // As if it could not be told. The next read that finds memory short tries again.
      open();
    }
  }

  /**
   * Ends a wait for relief.
   *
   * @param relieved null if it could not be told
   */
  private void endWait(@Nullable Boolean relieved) {
    if (!Boolean.FALSE.equals(relieved)) {
      open();
      return;
    }
    if (!isOneReading()) {
      letOneThrough();
    }
    awaitRelief();
  }

  private void open() {
    level.set(Level.OPEN);
    resumeAll();
  }

  private void resumeAll() {
    Collection<ReadGateHandler> waiting = stopped.headMap(tickets.get(), true).values();
    // Those that come later find the gate open, or wait for another opening.
    for (ReadGateHandler handler : held == null ? waiting : held.mostFirst(waiting)) {
      if (stopped.remove(handler.ticket(), handler)) {
        handler.markTaken();
        handler.resume();
      }
    }
    listeners.forEach(ReadGateHandler::resume);
  }

  /** Whether the channel that was let through has read since the last time this was asked. */
  private boolean isOneReading() {
    ReadGateHandler one = letThrough;
    return one != null && one.takeProgress();
  }

  /** Lets one of the stopped channels read until the gate opens. */
  private void letOneThrough() {
    letThrough = null;
    ReadGateHandler one = takeFirst();
    while (one != null && !one.tryLetThrough(closings.get())) {
      one = takeFirst();
    }
    letThrough = one;
    if (one != null) {
      turns.incrementAndGet();
    }
  }

  /** Takes the stopped channel that holds most, or of equal ones the one stopped longest. */
  private @Nullable ReadGateHandler takeFirst() {
    while (true) {
      Map.Entry<Long, ReadGateHandler> first = stopped.firstEntry();
      if (first == null) {
        return null;
      }
      if (held != null) {
        long most = -1;
        for (Map.Entry<Long, ReadGateHandler> entry : stopped.entrySet()) {
          long bytes = held.of(entry.getValue());
          if (bytes > most) {
            most = bytes;
            first = entry;
          }
        }
      }
      if (stopped.remove(first.getKey(), first.getValue())) {
        first.getValue().markTaken();
        return first.getValue();
      }
    }
  }
}
