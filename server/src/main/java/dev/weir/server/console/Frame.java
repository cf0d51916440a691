package dev.weir.server.console;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * What the node showed at one moment, once in memory however many get it. Lies outside the pool: it
 * is wanted most when the pool is full. Reference-counted like any buffer.
 */
public final class Frame {
  private static final byte[] EVENT_START = "event: view\ndata: ".getBytes(Json.CHARSET);

  private final ByteBuf event;
  private final int jsonBytes;

  private Frame(ByteBuf event, int jsonBytes) {
    this.event = event;
    this.jsonBytes = jsonBytes;
  }

  /**
   * A frame of figures.
   *
   * @param memory gives the one buffer; what fails leaves none behind
   */
  static Frame of(ByteBufAllocator memory, byte[] json) {
    ByteBuf event = memory.directBuffer(EVENT_START.length + json.length + 2);
    try {
      event.writeBytes(EVENT_START).writeBytes(json).writeByte('\n').writeByte('\n');
      return new Frame(event, json.length);
    } catch (Throwable unmade) {
      event.release();
      throw unmade;
    }
  }

  /** The JSON object; the caller releases it. Only while somebody else holds the frame. */
  public ByteBuf json() {
    return event.retainedSlice(EVENT_START.length, jsonBytes);
  }

  /** The same as a server-sent event. */
  public ByteBuf event() {
    return event.retainedDuplicate();
  }

  /** Keeps it. */
  void retain() {
    event.retain();
  }

  /** Ends what {@link Console#frame} or a subscription began. */
  public void release() {
    event.release();
  }

  boolean isGone() {
    return event.refCnt() == 0;
  }
}
