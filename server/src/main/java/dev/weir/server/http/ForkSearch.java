package dev.weir.server.http;

import dev.weir.streams.CreateRequest.ForkRequest;
import dev.weir.streams.RangeReader;
import dev.weir.streams.Stream;
import dev.weir.streams.StreamState;
import dev.weir.streams.protocol.JsonMessageCounter;
import dev.weir.streams.protocol.ProtocolException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Turns an offset and a sub-offset of a source stream into the byte where a fork begins. Where that
 * takes reading the source, it reads a piece a turn, and waits for its turn, the first included,
 * while others have theirs: up to {@link ForkSearches#MAX_WAITING} of them.
 *
 * <pre>
 *   run ──▶ [waits for a turn ──▶ step ──▶ waits for a turn ──▶ step ...] ──▶ found or failed
 *                    cancel: ends unheard
 * </pre>
 *
 * Runs on I/O threads, one at a time; {@link #cancel} is for any thread.
 */
final class ForkSearch implements Runnable {
  private static final long NOT_YET = Long.MIN_VALUE;

  /** The shortest message is one character and a comma. */
  private static final int MIN_MESSAGE_BYTES = 2;

  private final Services services;
  private final @Nullable Stream source;
  private final ForkRequest fork;
  private final Listener listener;
  private volatile boolean cancelled;
  private @Nullable Reading reading;
  private boolean toldOfLength;

  /** Is told on an I/O thread; what a method throws is told as a failure. */
  interface Listener {
    /**
     * The fork with its point, and the stream that this was resolved against. Without either where
     * the source is missing or deleted: the store has to report that, and does so too if a source
     * has come meanwhile.
     */
    void found(ForkRequest resolved);

    /** The search waits for others, or its first piece was not enough. Told once at most. */
    void takesLong();

    /** Throws nothing. */
    void failed(Throwable cause);
  }

  /** {@code source} is what the source's path leads to; null for nothing. */
  ForkSearch(Services services, @Nullable Stream source, ForkRequest fork, Listener listener) {
    this.services = services;
    this.source = source;
    this.fork = fork;
    this.listener = listener;
  }

  /** Begins: finds the point if no reading is needed, and waits for a turn otherwise. */
  @Override
  public void run() {
    try {
      if (source == null || source.isRemoved() || source.state().softDeleted()) {
        listener.found(fork);
        return;
      }
      StreamState state = source.state();
      long point = locate(state);
      if (point == NOT_YET) {
        services.searches().add(this);
      } else {
        listener.found(fork.resolved(state.streamId(), point));
      }
    } catch (Throwable failure) {
      fail(failure);
    }
  }

  private long locate(StreamState state) throws ProtocolException {
    boolean atTail = fork.anchorOffset() == ForkRequest.TAIL;
    long anchor = atTail ? state.tailOffset() : fork.anchorOffset();
    boolean json = state.config().isJson();
    long available = state.tailOffset() - anchor;
    if (fork.subOffset() > 0 && fork.subOffset() > available / (json ? MIN_MESSAGE_BYTES : 1)) {
      throw pastTheEnd();
    }
    if (!json) {
      return anchor + fork.subOffset();
    }
    boolean anchored = MessageEnds.isKnown(state, anchor);
    if (available < 0) {
      return anchor;
    }
    // Between two appends, messages begin and end.
    long known = anchored ? anchor : services.store().lastAppendStart(state, anchor);
    if (known == anchor && fork.subOffset() == 0) {
      return anchor;
    }
    reading = new Reading(state, known, anchor);
    return NOT_YET;
  }

  /** Ends the search at its next piece, or before its turn, without a word. */
  void cancel() {
    cancelled = true;
    services.searches().remove(this);
  }

  boolean isCancelled() {
    return cancelled;
  }

  /** Reads a piece; whether the search is over. Throws nothing. */
  boolean step() {
    try {
      Reading current = reading;
      if (cancelled || current == null) {
        return true;
      }
      long point = current.next(services.searches().piece());
      if (point == NOT_YET) {
        tellOfLength();
        return false;
      }
      listener.found(fork.resolved(current.state.streamId(), point));
    } catch (Throwable failure) {
      fail(failure);
    }
    return true;
  }

  /** Has the client watched from now on. */
  void tellOfLength() {
    if (!toldOfLength) {
      toldOfLength = true;
      listener.takesLong();
    }
  }

  /** Ends the search. Throws nothing. */
  void fail(Throwable failure) {
    listener.failed(failure);
  }

  private static ProtocolException pastTheEnd() {
    return ProtocolException.badRequest(
        "Stream-Fork-Sub-Offset lies after the end of the source stream");
  }

  /**
   * What is read of the source: up to the fork's offset, from where a message is known to begin, to
   * see that one ends there; and from there on, to count messages. Between turns it keeps the
   * position only: those who wait may be more than the files that may be open.
   */
  private final class Reading {
    private final StreamState state;
    private final long anchor;
    private final long end;
    private final JsonMessageCounter before = new JsonMessageCounter(Long.MAX_VALUE);
    private final JsonMessageCounter after = new JsonMessageCounter(fork.subOffset());

    private long position;

    Reading(StreamState state, long start, long anchor) {
      this.state = state;
      this.position = start;
      this.anchor = anchor;
      this.end = fork.subOffset() == 0 ? anchor : state.tailOffset();
    }

    /** Goes on by a piece; the point, or {@link #NOT_YET}. */
    long next(ByteBuffer piece) throws IOException, ProtocolException {
      boolean toAnchor = position < anchor;
      try (RangeReader reader = services.store().read(state, position, toAnchor ? anchor : end)) {
        reader.read(piece);
      }
      position += piece.flip().remaining();
      if (toAnchor) {
        before.feed(piece);
        return position == anchor ? anchored() : NOT_YET;
      }
      if (after.feed(piece)) {
        return anchor + after.bytes();
      }
      if (position == end) {
        throw pastTheEnd();
      }
      return NOT_YET;
    }

    private long anchored() throws ProtocolException {
      if (!before.isBetweenMessages()) {
        throw ProtocolException.badRequest(
            "Stream-Fork-Offset lies within a message: it must be a Stream-Next-Offset that this"
                + " server returned");
      }
      return fork.subOffset() == 0 ? anchor : NOT_YET;
    }
  }
}
