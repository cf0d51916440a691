package dev.weir.server.http;

import dev.weir.server.metrics.Failure;
import dev.weir.streams.RangeReader;
import dev.weir.streams.Stream;
import dev.weir.streams.StreamConfig;
import dev.weir.streams.StreamState;
import dev.weir.streams.protocol.Cursor;
import dev.weir.streams.protocol.Offset;
import dev.weir.streams.protocol.SseEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.ByteBuffer;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A live read as server-sent events. What has come since the last event becomes one data event,
 * written in bounded pieces, and a control event; then the session waits for more.
 *
 * <p>An event of text ends with a whole character. Of one that is cut off at the tail, the bytes
 * are sent when the rest is there, or when the stream is closed.
 *
 * <pre>
 *   SENDING ──▶ control ──▶ WAITING ──▶ SENDING ...      until closed, removed, drained or too old
 * </pre>
 */
final class SseSession {
  /** A binary event is cut here, at a multiple of three bytes, so that a client can hold it. */
  private static final long MAX_BINARY_EVENT_BYTES = 3 << 18;

  /** Base64 makes 43 KiB of it, within a connection's share. */
  private static final int BINARY_CHUNK_BYTES = HttpLimits.CHUNK_BYTES / 2;

  /** Each line end becomes six bytes: 96 KiB of nothing else, within a connection's share. */
  private static final int TEXT_CHUNK_BYTES = HttpLimits.CHUNK_BYTES / 4;

  /** What is as short as this, and in memory, is read at once. */
  private static final int MAX_TAIL_BYTES = 8 << 10;

  /** The words behind an event's data, and the control event. */
  private static final int END_BYTES = 256;

  private final Services services;
  private final Exchange exchange;
  private final Stream stream;
  private final SseEncoder.Mode mode;
  private final long startedNanos = System.nanoTime();

  /** The last one that was sent, or will be. */
  private String cursor;

  private long position;

  /** Bytes behind the position that begin a character: they are sent when the rest has come. */
  private int held;

  private @Nullable RangeSender sender;
  private Stream.@Nullable Wait wait;
  private @Nullable Future<?> timer;
  private boolean draining;
  private boolean over;

  SseSession(
      Services services, Exchange exchange, Stream stream, long from, @Nullable String cursor) {
    this.services = services;
    this.exchange = exchange;
    this.stream = stream;
    this.position = from;
    this.cursor = Cursor.next(cursor, System.currentTimeMillis());
    StreamConfig config = stream.state().config();
    String mediaType = StreamConfig.mediaType(config.contentType());
    this.mode =
        config.isJson()
            ? SseEncoder.Mode.JSON
            : mediaType.startsWith("text/") ? SseEncoder.Mode.TEXT : SseEncoder.Mode.BASE64;
  }

  void start() {
    HttpHeaders headers =
        Headers.create()
            .set(HttpHeaderNames.CONTENT_TYPE, "text/event-stream")
            .set(HttpHeaderNames.CACHE_CONTROL, "no-cache");
    if (mode == SseEncoder.Mode.BASE64) {
      headers.set(Headers.SSE_ENCODING, "base64");
    }
    exchange.closeAfterwards();
    exchange.begin(HttpResponseStatus.OK, headers);
    proceed();
  }

  private void proceed() {
    if (over) {
      return;
    }
    StreamState state = stream.state();
    if (stream.isRemoved() || state.softDeleted()) {
      finish();
    } else if (state.tailOffset() > position + held || isCutOff(state)) {
      sendEvent(state);
    } else {
      control(state, exchange.allocator().directBuffer(END_BYTES));
    }
  }

  /** Whether the stream has ended within a character. */
  private boolean isCutOff(StreamState state) {
    return held > 0 && state.closed();
  }

  private void sendEvent(StreamState state) {
    long available = state.tailOffset() - position;
    long bytes =
        mode == SseEncoder.Mode.BASE64 ? Math.min(available, MAX_BINARY_EVENT_BYTES) : available;
    // Stored JSON messages end in commas; the last one is left out.
    long end = position + bytes - (mode == SseEncoder.Mode.JSON ? 1 : 0);
    EventBuffer target = new EventBuffer();
    SseEncoder encoder = new SseEncoder(mode, target);
    Runnable onEnd =
        () -> {
          if (state.closed() && end == state.tailOffset()) {
            encoder.release();
          }
          encoder.end();
          sender = null;
          held = encoder.heldBytes();
          position += bytes - held;
          control(stream.state(), target.take());
        };
    boolean atOnce = end - position <= MAX_TAIL_BYTES && exchange.isWritable();
    byte[] tail = atOnce ? tail(state, end) : null;
    if (tail != null) {
      encode(tail, encoder, target, onEnd);
      return;
    }
    RangeReader range = services.store().read(state, position, end);
    sender =
        new RangeSender(
            exchange,
            services.io(),
            range,
            mode == SseEncoder.Mode.BASE64 ? BINARY_CHUNK_BYTES : TEXT_CHUNK_BYTES,
            (chunk, next) -> {
              byte[] data;
              try {
                data = ByteBufUtil.getBytes(chunk);
              } finally {
                // Whoever waits for memory holds none.
                chunk.release();
              }
              encode(
                  data,
                  encoder,
                  target,
                  () -> {
                    if (range.remaining() > 0) {
                      write(target.take());
                    }
                    next.run();
                  });
            },
            onEnd,
            error -> exchange.abort(Failure.ofRead(error, stream.isRemoved()), error));
    sender.pump();
  }

  /** All of a short range, where it is in memory. */
  private byte @Nullable [] tail(StreamState state, long end) {
    RangeReader range = services.store().read(state, position, end);
    ByteBuffer bytes = ByteBuffer.allocate((int) range.remaining());
    while (bytes.hasRemaining()) {
      if (!range.readCached(bytes)) {
        return null;
      }
    }
    return bytes.array();
  }

  private void encode(byte[] data, SseEncoder encoder, EventBuffer target, Runnable next) {
    exchange.allocate(
        encoder.maxEncodedBytes(data) + END_BYTES,
        buffer -> {
          services.store().touch(stream);
          target.begin(buffer);
          encoder.data(data);
          next.run();
        });
  }

  private void write(ByteBuf part) {
    if (part.isReadable()) {
      exchange.write(part);
    } else {
      part.release();
    }
  }

  /** Writes what {@code target} has, which it takes over, and a control event with it. */
  private void control(StreamState state, ByteBuf target) {
    boolean upToDate = position + held == state.tailOffset() && !isCutOff(state);
    boolean ended = upToDate && state.closed();
    StringBuilder event =
        new StringBuilder("event: control\ndata:{\"streamNextOffset\":\"")
            .append(Offset.format(position))
            .append('"');
    if (ended) {
      event.append(",\"streamClosed\":true");
    } else {
      cursor = Cursor.after(cursor, System.currentTimeMillis());
      event.append(",\"streamCursor\":\"").append(cursor).append('"');
    }
    if (upToDate) {
      event.append(",\"upToDate\":true");
    }
    ByteBufUtil.writeAscii(target, event.append("}\n\n"));
    exchange.write(target);
    // One write for the data event and this one: readers act on both together.
    exchange.flush();
    boolean old = System.nanoTime() - startedNanos > services.limits().liveTimeout().toNanos();
    if (ended || draining || old) {
      finish();
    } else if (upToDate) {
      await();
    } else {
      proceed();
    }
  }

  private void await() {
    exchange.watchForClose();
    timer =
        exchange.schedule(
            () -> {
              stopWaiting();
              control(stream.state(), exchange.allocator().directBuffer(END_BYTES));
            },
            services.limits().longPollTimeout().toMillis(),
            TimeUnit.MILLISECONDS);
    Runnable news =
        () -> {
          if (timer != null) {
            stopWaiting();
            proceed();
          }
        };
    wait = services.store().await(stream, position + held, () -> exchange.tellLoop(news));
  }

  private void stopWaiting() {
    Future<?> running = timer;
    timer = null;
    if (running != null) {
      running.cancel(false);
    }
    Stream.Wait waiting = wait;
    wait = null;
    if (waiting != null) {
      waiting.cancel();
    }
  }

  private void finish() {
    over = true;
    exchange.end();
  }

  void writable() {
    if (sender != null) {
      sender.pump();
    }
  }

  void drain() {
    draining = true;
    if (timer != null) {
      stopWaiting();
      finish();
    }
  }

  void close() {
    over = true;
    stopWaiting();
    if (sender != null) {
      sender.close();
    }
  }

  /** Collects what the encoder writes. */
  private static final class EventBuffer implements SseEncoder.Sink {
    private @Nullable ByteBuf buffer;

    /** Takes a buffer over; what is written to it must be taken at once. */
    void begin(ByteBuf empty) {
      buffer = empty;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
      ByteBuf target = buffer;
      if (target == null) {
        throw new IllegalStateException("no event is being written");
      }
      target.writeBytes(bytes, offset, length);
    }

    ByteBuf take() {
      ByteBuf taken = buffer;
      buffer = null;
      if (taken == null) {
        throw new IllegalStateException("no event is being written");
      }
      return taken;
    }
  }
}
