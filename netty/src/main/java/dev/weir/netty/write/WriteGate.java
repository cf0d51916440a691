package dev.weir.netty.write;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.pressure.Registration;
import dev.weir.netty.loop.LoopTasks;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelPromise;
import io.netty.channel.WriteBufferWaterMark;
import java.util.concurrent.Flow;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds what channels queue to be sent, each and all together. One gate serves all channels that
 * share a bound; each pipeline gets a {@linkplain #newHandler() handler} of its own, anywhere. A
 * channel belongs to one gate, since two would undo each other's stops: a second handler in its
 * pipeline is taken out as it is added, and the pipeline hears why by {@code exceptionCaught},
 * unless it replaces the first. A stream of HTTP/2 is a channel, beside that of its connection. A
 * channel stays on the event loop that it was registered with first.
 *
 * <p>The bytes are Netty's own count of a channel's queue. Producers that heed Netty's {@code
 * isWritable()} and {@code channelWritabilityChanged} are within the bounds as they are: {@code
 * ChunkedWriteHandler}, gRPC, Reactor Netty. Producers of your own are {@linkplain #pull asked}
 * when there is room. Whoever writes beyond a bound all the same has the write fail with a {@link
 * WriteRefusedException} and the channel closed, since what would follow makes no sense without it;
 * but the message that reaches a channel's bound may be of any size that fits the total. A {@code
 * FileRegion} queues no memory and counts nothing.
 *
 * <p>When three quarters of the total are queued, or a budget's pressure is {@linkplain #follow
 * critical}, channels that have anything queued become unwritable, until the total has come down to
 * half and the pressure has gone. One whose peer has taken everything may queue one message more,
 * so fast peers go on beside slow ones. A stream of HTTP/2 becomes unwritable by the next message
 * that it queues, so it may queue one more than others.
 *
 * <p>A peer that leaves more than {@link WriteGateOptions#slowBytes()} for longer than {@link
 * WriteGateOptions#slowTime()} is closed, after an {@link OutboundClosing} went through its
 * pipeline; and while channels are stopped also one that takes less than half of what it has queued
 * in that time, however little that is. So every wait for a slow peer ends, and with it every wait
 * for the total. Of those, no more are closed than it takes for the total to come down; while the
 * pressure of a budget is critical, all are.
 *
 * <p>A channel is closed too when a write of bytes fails that went through the gate, or one of a
 * producer's: the stream would have a hole. From then on writes fail and nothing is flushed, also
 * for those who hear of the failure, but for one: a listener that was added to the promise before
 * the message was written is told before the gate is, in the order in which Netty tells them. What
 * it writes is taken as if nothing had happened, by counts that still hold the message that failed;
 * let it write nothing, or add it to the future that the write returns. Of two failures the gate
 * does not hear: a message of somebody else that an encoder between him and the gate could not
 * encode ({@link UnbrokenStream#MESSAGES} does), and records that an {@code SslHandler} between the
 * gate and the transport could not write ({@link UnbrokenStream#HANDLER}).
 *
 * <p>All methods may be called from any thread.
 */
public final class WriteGate {
  private static final int TOTAL_HIGH = 1;

  /** One for each budget whose pressure is critical. */
  private static final int CRITICAL_BUDGET = 2;

  private final WriteGateOptions options;

  /** Those of every channel. */
  private final WriteBufferWaterMark waterMark;

  private final AtomicLong queuedBytes = new AtomicLong();

  /** What of that goes by itself: that of channels that are being closed. */
  private final AtomicLong leavingBytes = new AtomicLong();

  /** Why the gate is closed, a bit or a count each; 0 while it is open. */
  private final AtomicInteger closedBy = new AtomicInteger();

  private final Waiters<WriteGateHandler> waiting = new Waiters<>();
  private final AtomicInteger pausedChannels = new AtomicInteger();
  private final AtomicLong pauses = new AtomicLong();
  private final AtomicLong refusals = new AtomicLong();
  private final AtomicLong slowClosings = new AtomicLong();
  private final AtomicLong brokenClosings = new AtomicLong();

  /** Makes an open gate. */
  public WriteGate(WriteGateOptions options) {
    this.options = options;
    this.waterMark =
        new WriteBufferWaterMark(options.channelBytes() / 4, options.channelBytes() / 2);
  }

  /**
   * Makes the handler for one pipeline. It sets the channel's water marks, and runs on the
   * channel's event loop.
   */
  public ChannelHandler newHandler() {
    return new WriteGateHandler(this);
  }

  /**
   * Also closes while the pressure of {@code budget} is critical: that of the buffers that are
   * queued, for instance. A gate may follow several, and is closed while that of any is.
   *
   * @return ends this when it is closed, and opens the gate as far as this had closed it
   */
  public Registration follow(Budget budget) {
    FollowedBudget followed = new FollowedBudget(this);
    followed.listenTo(budget);
    return followed;
  }

  /**
   * Asks {@code producer} for messages while {@code channel} can take them; one producer at a time.
   *
   * @param channel one with a handler of a write gate in its pipeline
   * @return succeeds when the last message has been written; cancelling it ends the pull. The
   *     failure of one write is the failure of all
   * @throws IllegalArgumentException if the channel's pipeline has no such handler
   */
  public static ChannelFuture pull(Channel channel, Producer producer) {
    WriteGateHandler handler = channel.pipeline().get(WriteGateHandler.class);
    if (handler == null) {
      throw new IllegalArgumentException("no write gate in the pipeline of " + channel);
    }
    ChannelPromise promise = channel.newPromise();
    try {
      if (channel.eventLoop().inEventLoop()) {
        handler.begin(channel, producer, promise);
      } else {
        LoopTasks.execute(channel.eventLoop(), new Beginning(handler, channel, producer, promise));
      }
    } catch (Throwable notTaken) {
      promise.tryFailure(notTaken);
      producer.stopped(notTaken);
    }
    return promise;
  }

  private record Beginning(
      WriteGateHandler handler, Channel channel, Producer producer, ChannelPromise promise)
      implements LoopTasks.Task {
    @Override
    public void run() {
      handler.begin(channel, producer, promise);
    }

    @Override
    public void lost() {
      RejectedExecutionException ended = new RejectedExecutionException("the event loop has ended");
      promise.tryFailure(ended);
      producer.stopped(ended);
    }
  }

  /**
   * Requests the messages of {@code publisher} one by one, while {@code channel} can take them.
   * Messages are taken over as {@link Owned#of(Object)} does; one that was not requested is
   * released, and fails the pull. Otherwise as {@link #pull(Channel, Producer)}.
   */
  public static ChannelFuture pullFrom(Channel channel, Flow.Publisher<?> publisher) {
    return pull(channel, new PublishedMessages(channel.eventLoop(), publisher));
  }

  /** The bounds. */
  public WriteGateOptions options() {
    return options;
  }

  /** Where a channel stops being writable, and where it begins again. */
  WriteBufferWaterMark waterMark() {
    return waterMark;
  }

  /**
   * What all channels have queued, but for up to 4 KiB each, which are told when they become more
   * or are gone.
   */
  public long queuedBytes() {
    return queuedBytes.get();
  }

  /** Whether channels are being stopped now. */
  public boolean isClosed() {
    return closedBy.get() != 0;
  }

  /**
   * How many channels are unwritable now because the gate is closed. Those that are so by what they
   * have queued themselves are not among them.
   */
  public int pausedChannels() {
    return pausedChannels.get();
  }

  /** How often a channel has become unwritable so far because the gate was closed. */
  public long pauses() {
    return pauses.get();
  }

  /** How many writes were refused so far, with their channels closed. */
  public long refusals() {
    return refusals.get();
  }

  /** How many channels were closed so far because their peers were slow. */
  public long slowClosings() {
    return slowClosings.get();
  }

  /** How many channels were closed so far because a write had failed. */
  public long brokenClosings() {
    return brokenClosings.get();
  }

  void add(long bytes) {
    long sum = queuedBytes.addAndGet(bytes);
    if (bytes > 0 && sum > options.totalBytes() / 4 * 3) {
      closeFor(TOTAL_HIGH);
      if (queuedBytes.get() <= options.totalBytes() / 2) {
        // Came down meanwhile, seen by nobody.
        openFor(TOTAL_HIGH);
      }
    } else if (bytes < 0 && sum <= options.totalBytes() / 2) {
      openFor(TOTAL_HIGH);
    }
  }

  /** A channel that has so much queued is being closed, or, by a negative number, is closed. */
  void addLeaving(long bytes) {
    leavingBytes.addAndGet(bytes);
  }

  /**
   * The same of a channel that is in the way of others.
   *
   * @return false, and nothing is added, if the gate opens without that as well
   */
  boolean tryAddLeaving(long bytes) {
    while (true) {
      long leaving = leavingBytes.get();
      int causes = closedBy.get();
      long staying = queuedBytes.get() - leaving;
      if (causes == 0 || (causes == TOTAL_HIGH && staying <= options.totalBytes() / 2)) {
        return false;
      }
      if (leavingBytes.compareAndSet(leaving, leaving + bytes)) {
        return true;
      }
    }
  }

  void countPause() {
    pauses.incrementAndGet();
    pausedChannels.incrementAndGet();
  }

  void countPauseEnd() {
    pausedChannels.decrementAndGet();
  }

  void countRefusal() {
    refusals.incrementAndGet();
  }

  void countSlowClosing() {
    slowClosings.incrementAndGet();
  }

  void countBrokenClosing() {
    brokenClosings.incrementAndGet();
  }

  /** Has a stopped handler woken when the gate opens. */
  void await(WriteGateHandler handler) {
    waiting.add(handler.place());
    // Pairs with openFor(): either that sees the handler wait, or this sees the gate open.
    if (!isClosed() && waiting.remove(handler.place())) {
      handler.wakeUp();
    }
  }

  /**
   * Drops a handler that has left its pipeline.
   *
   * @return whether it has waited
   */
  boolean forget(WriteGateHandler handler) {
    return waiting.remove(handler.place());
  }

  /** The pressure of one more budget is critical. */
  void addCritical() {
    closedBy.getAndAdd(CRITICAL_BUDGET);
  }

  /**
   * That of one less is.
   *
   * @return whether this has opened the gate: {@link #wakeWaiting} is to be called then
   */
  boolean removeCritical() {
    return closedBy.addAndGet(-CRITICAL_BUDGET) == 0;
  }

  private void closeFor(int cause) {
    closedBy.getAndUpdate(causes -> causes | cause);
  }

  private void openFor(int cause) {
    int before = closedBy.getAndUpdate(causes -> causes & ~cause);
    if (before == cause) {
      wakeWaiting();
    }
  }

  void wakeWaiting() {
    waiting.wakeAll(WriteGateHandler::wakeUp);
  }
}
