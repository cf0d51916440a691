package dev.weir.netty.flow;

import dev.weir.netty.loop.LoopTime;
import io.netty.channel.Channel;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.util.AttributeKey;
import java.util.EnumSet;

/**
 * Who keeps a channel from reading. Several handlers may hold the same channel for reasons of their
 * own; it reads again when the last of them lets go.
 *
 * <p>A stream of HTTP/2 may end while it is held, and Netty keeps what it has queued for as long as
 * nobody reads that, though the peer may open another in its place. One that its peer has reset is
 * closed, and what it has queued goes unread: handlers pass each event through {@link #heard}. One
 * that its peer opened, and that both sides have ended or whose connection has gone, reads again,
 * if its connection has {@link Http2Windows}.
 *
 * <p>With auto-read on, a hold turns it off, which stops the transport within the current read, and
 * the last release turns it on again. With auto-read off, handlers pass each {@code read()} through
 * {@link #deferRead()}, and a read that came during a hold is made up for at its end.
 *
 * <p>Every method runs on the channel's event loop. Applications that change auto-read while the
 * channel may be held do so with {@link #setAutoRead}: the channel's own setting is off during a
 * hold, so turning it off there does not outlast it. Turning it on there overrides the hold, unless
 * a handler passes reads through {@link #deferRead()}, as a gate's do: so a listener that Netty has
 * read again, a second after the system had no descriptor for it, is held still, and read at the
 * end of the hold.
 */
public final class ReadHolds {
  /** Why a channel is not read from. */
  public enum Reason {
    /** A request waits for admission, or for the one before it to be answered. */
    ORDER,
    /** Memory is short. Channels that {@link #exempt} covers are not held for this reason. */
    PRESSURE
  }

  private static final AttributeKey<ReadHolds> KEY = AttributeKey.valueOf(ReadHolds.class, "holds");

  private final Channel channel;
  private final EnumSet<Reason> reasons = EnumSet.noneOf(Reason.class);
  private boolean exempt;

  /** Whether nothing more can come, so that nobody holds it. */
  private boolean over;

  /** Whether its peer has reset it while it was held: nobody reads what it has queued. */
  private boolean dropped;

  private boolean autoReadAfter;
  private boolean readDeferred;
  private long heldSinceNanos;
  private long heldBeforeNanos;

  private ReadHolds(Channel channel) {
    this.channel = channel;
  }

  /** Returns the holds of {@code channel}, the same object every time. */
  public static ReadHolds of(Channel channel) {
    ReadHolds holds = channel.attr(KEY).get();
    if (holds != null) {
      return holds;
    }
    ReadHolds fresh = new ReadHolds(channel);
    ReadHolds raced = channel.attr(KEY).setIfAbsent(fresh);
    return raced != null ? raced : fresh;
  }

  /** Whether the channel is kept from reading. */
  public boolean held() {
    return !over && !reasons.isEmpty();
  }

  /** For how long, in all, the channel was kept from reading, by the clock of its event loop. */
  public long heldNanos() {
    return held() ? heldBeforeNanos + (nowNanos() - heldSinceNanos) : heldBeforeNanos;
  }

  private long nowNanos() {
    return LoopTime.nanoTime(channel.eventLoop());
  }

  /**
   * Keeps the channel from reading for {@code reason}; holding twice is the same as once.
   *
   * @return {@code false} if the channel is exempt from holds for this reason, or a stream of
   *     HTTP/2 that its peer has reset, or one that its peer opened and on which nothing more can
   *     come, if its connection has {@link Http2Windows}
   */
  public boolean hold(Reason reason) {
    if ((reason == Reason.PRESSURE && exempt) || over) {
      return false;
    }
    if (!reasons.isEmpty()) {
      reasons.add(reason);
      return true;
    }
    if (!HeldStreams.begin(channel, this)) {
      over = true;
      return false;
    }
    heldSinceNanos = nowNanos();
    autoReadAfter = channel.config().isAutoRead();
    reasons.add(reason);
    channel.config().setAutoRead(false);
    return true;
  }

  /** Ends the hold for {@code reason}, if there is one. */
  public void release(Reason reason) {
    if (reasons.remove(reason) && reasons.isEmpty()) {
      if (!over) {
        countHeld();
      }
      letGo();
    }
  }

  /**
   * Takes in what a handler's {@code userEventTriggered} has heard. Every handler that holds the
   * channel passes each event through here, before it passes it on.
   */
  public void heard(Object event) {
    if (event instanceof Http2ResetFrame && !over) {
      dropped = held();
      endForGood();
    }
  }

  /**
   * Nothing more can come: nobody holds it. It is read, or closed, by a task: its handlers may be
   * writing the end of their answer now, and its codec, which has not counted a reset yet, would
   * send one back.
   */
  void endForGood() {
    boolean wasHeld = held();
    over = true;
    if (wasHeld) {
      countHeld();
      channel.eventLoop().execute(this::letGo);
    }
  }

  private void letGo() {
    if (dropped) {
      channel.close();
    } else {
      readAgain();
    }
  }

  /** Whether nothing more can come. A guess on other threads. */
  boolean isOver() {
    return over;
  }

  private void countHeld() {
    heldBeforeNanos += nowNanos() - heldSinceNanos;
  }

  private void readAgain() {
    // Who has turned it on meanwhile has asked for the read that was put off, and is on already.
    boolean turnOn = autoReadAfter && !channel.config().isAutoRead();
    boolean readNow = (readDeferred || (autoReadAfter && over)) && !turnOn;
    readDeferred &= over;
    if (turnOn) {
      channel.config().setAutoRead(true);
    } else if (readNow) {
      channel.read();
    }
  }

  /**
   * Turns auto-read on or off; if the channel is held, once it no longer is. Turning it off also
   * drops a read that was put off.
   */
  public void setAutoRead(boolean autoRead) {
    autoReadAfter = autoRead;
    readDeferred &= autoRead;
    if (!held()) {
      channel.config().setAutoRead(autoRead);
    }
  }

  /**
   * Declares that what the channel reads goes into memory that it was promised, so that reading it
   * relieves pressure and must not wait for relief; ends with {@link #endExemption()}.
   */
  public void exempt() {
    exempt = true;
    release(Reason.PRESSURE);
  }

  /** Whether {@link #exempt()} holds. */
  boolean isExempt() {
    return exempt;
  }

  /** Ends what {@link #exempt()} began. */
  public void endExemption() {
    exempt = false;
  }

  /**
   * Swallows a {@code read()} if the channel is held.
   *
   * @return {@code true} if the read is put off until the last hold ends, or for good where that
   *     closes the channel; {@code false} if the caller is to pass it on
   */
  public boolean deferRead() {
    if (held() || dropped) {
      readDeferred = true;
      return true;
    }
    return false;
  }
}
