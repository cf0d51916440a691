package dev.weir.server.http;

import dev.weir.server.metrics.Failure;
import dev.weir.streams.Stream;
import dev.weir.streams.StreamState;
import dev.weir.streams.protocol.Cursor;
import dev.weir.streams.protocol.Offset;
import dev.weir.streams.protocol.ProtocolException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** GET: catch-up reads and long polls here; server-sent events through {@link SseSession}. */
final class ReadHandler implements ExchangeHandler {
  private static final ByteBuf ARRAY_START = DirectBytes.constant("[");
  private static final ByteBuf ARRAY_END = DirectBytes.constant("]");
  private static final ByteBuf EMPTY_ARRAY = DirectBytes.constant("[]");

  private final Services services;
  private final String path;
  private @Nullable RangeSender sender;
  private @Nullable SseSession session;
  private Stream.@Nullable Wait wait;
  private @Nullable Future<?> timeout;
  private @Nullable Runnable onDrain;
  private boolean draining;
  private boolean closed;

  ReadHandler(Services services, String path) {
    this.services = services;
    this.path = path;
  }

  @Override
  public void start(Exchange exchange) {
    try {
      ReadQuery query = ReadQuery.parse(exchange.request().uri());
      Stream stream = services.store().find(path);
      if (stream == null) {
        throw new ProtocolException(404, "there is no such stream");
      }
      StreamState state = stream.state();
      if (state.softDeleted()) {
        throw new ProtocolException(410, "the stream was deleted; it is kept for its forks only");
      }
      if (query.position() > state.tailOffset()) {
        throw ProtocolException.badRequest("the offset lies after the end of the stream");
      }
      services.store().touch(stream);
      boolean known = query.fromTail() || MessageEnds.isKnown(state, query.position());
      if (known || looksBeforeItAnswers(exchange, query)) {
        read(exchange, query, stream, state);
      } else {
        readIfMessageBegins(exchange, query, stream, state);
      }
    } catch (ProtocolException e) {
      exchange.refuse(e, EmptyHttpHeaders.INSTANCE);
    }
  }

  /** Whether {@link #sendRange}, which sees where a message begins, reads before any answer. */
  private static boolean looksBeforeItAnswers(Exchange exchange, ReadQuery query) {
    return query.live() != ReadQuery.Live.SSE
        && !exchange.request().headers().contains(HttpHeaderNames.IF_NONE_MATCH);
  }

  private void readIfMessageBegins(
      Exchange exchange, ReadQuery query, Stream stream, StreamState state) {
    exchange.whenDone(
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return MessageEnds.mayBeAt(services.store(), state, query.position());
              } catch (IOException e) {
                throw new CompletionException(e);
              }
            },
            services.io()),
        begins -> {
          if (!begins) {
            refuseWithinMessage(exchange);
          } else if (!closed) {
            read(exchange, query, stream, state);
            if (draining) {
              drain();
            }
          }
        });
  }

  private static void refuseWithinMessage(Exchange exchange) {
    exchange.refuse(
        400,
        "the offset lies within a message: use -1, now, or a Stream-Next-Offset that this"
            + " server returned",
        EmptyHttpHeaders.INSTANCE);
  }

  private void read(Exchange exchange, ReadQuery query, Stream stream, StreamState state) {
    long from = query.fromTail() ? state.tailOffset() : query.position();
    boolean atTail = from == state.tailOffset();
    switch (query.live()) {
      case SSE -> {
        session = new SseSession(services, exchange, stream, from, query.cursor());
        session.start();
      }
      case LONG_POLL -> {
        if (!atTail) {
          send(exchange, query, stream, state, from);
        } else if (state.closed()) {
          nothingNew(exchange, query, state);
        } else {
          await(exchange, query, stream, from);
        }
      }
      case NO -> {
        if (query.fromTail()) {
          tailOnly(exchange, state);
        } else {
          send(exchange, query, stream, state, from);
        }
      }
    }
  }

  private void await(Exchange exchange, ReadQuery query, Stream stream, long from) {
    exchange.watchForClose();
    onDrain = () -> nothingNew(exchange, query, stream.state());
    timeout =
        exchange.schedule(
            () -> {
              stopWaiting();
              nothingNew(exchange, query, stream.state());
            },
            services.limits().longPollTimeout().toMillis(),
            TimeUnit.MILLISECONDS);
    Runnable news = () -> arrived(exchange, query, stream, from);
    wait = services.store().await(stream, from, () -> exchange.tellLoop(news));
  }

  private void arrived(Exchange exchange, ReadQuery query, Stream stream, long from) {
    if (timeout == null) {
      // Answered already: the timeout or the connection's end came first.
      return;
    }
    stopWaiting();
    StreamState state = stream.state();
    if (stream.isRemoved() || state.softDeleted()) {
      exchange.refuse(404, "the stream was deleted", EmptyHttpHeaders.INSTANCE);
    } else if (state.tailOffset() > from) {
      send(exchange, query, stream, state, from);
    } else {
      nothingNew(exchange, query, state);
    }
  }

  private void stopWaiting() {
    onDrain = null;
    Future<?> timer = timeout;
    timeout = null;
    if (timer != null) {
      timer.cancel(false);
    }
    Stream.Wait waiting = wait;
    wait = null;
    if (waiting != null) {
      waiting.cancel();
    }
  }

  private static void nothingNew(Exchange exchange, ReadQuery query, StreamState state) {
    HttpHeaders headers =
        Headers.create()
            .set(Headers.NEXT_OFFSET, Offset.format(state.tailOffset()))
            .set(Headers.UP_TO_DATE, "true")
            .set(HttpHeaderNames.CACHE_CONTROL, "no-store");
    if (state.closed()) {
      headers.set(Headers.CLOSED, "true");
    } else {
      headers.set(Headers.CURSOR, Cursor.next(query.cursor(), System.currentTimeMillis()));
    }
    exchange.respond(HttpResponseStatus.NO_CONTENT, headers);
  }

  private static void tailOnly(Exchange exchange, StreamState state) {
    HttpHeaders headers =
        Headers.create()
            .set(HttpHeaderNames.CONTENT_TYPE, state.config().contentType())
            .set(HttpHeaderNames.CACHE_CONTROL, "no-store")
            .set(Headers.NEXT_OFFSET, Offset.format(state.tailOffset()))
            .set(Headers.UP_TO_DATE, "true");
    if (state.closed()) {
      headers.set(Headers.CLOSED, "true");
    }
    exchange.respond(HttpResponseStatus.OK, headers, emptyBody(state));
  }

  private static ByteBuf emptyBody(StreamState state) {
    return state.config().isJson() ? EMPTY_ARRAY.duplicate() : Unpooled.EMPTY_BUFFER;
  }

  private void send(
      Exchange exchange, ReadQuery query, Stream stream, StreamState state, long from) {
    long end = state.tailOffset();
    String tag = EntityTag.of(state, services.store().epoch(), from, end);
    HttpHeaders headers =
        Headers.create()
            .set(HttpHeaderNames.CONTENT_TYPE, state.config().contentType())
            .set(HttpHeaderNames.ETAG, tag)
            .set(HttpHeaderNames.CACHE_CONTROL, from < end ? cacheControl(state) : "no-cache")
            .set(Headers.NEXT_OFFSET, Offset.format(end))
            .set(Headers.UP_TO_DATE, "true");
    if (state.closed()) {
      headers.set(Headers.CLOSED, "true");
    }
    if (query.live() == ReadQuery.Live.LONG_POLL) {
      headers.set(Headers.CURSOR, Cursor.next(query.cursor(), System.currentTimeMillis()));
    }
    if (EntityTag.isKnown(exchange.request(), tag)) {
      exchange.respond(HttpResponseStatus.NOT_MODIFIED, headers);
    } else if (from == end) {
      exchange.respond(HttpResponseStatus.OK, headers, emptyBody(state));
    } else {
      sendRange(exchange, stream, state, from, headers);
    }
  }

  private static String cacheControl(StreamState state) {
    return CacheControl.ofRead(state.config(), System.currentTimeMillis());
  }

  /** How long the content is that stands for all from an offset on. */
  static long contentBytes(StreamState state, long from) {
    long bytes = state.tailOffset() - from;
    if (!state.config().isJson()) {
      return bytes;
    }
    // Stored messages end in commas: the last one makes room for a bracket.
    return bytes == 0 ? 2 : bytes + 1;
  }

  private void sendRange(
      Exchange exchange, Stream stream, StreamState state, long from, HttpHeaders headers) {
    boolean json = state.config().isJson();
    long end = json ? state.tailOffset() - 1 : state.tailOffset();
    // The byte before tells whether a message begins here, without another open file.
    boolean looksBefore = !MessageEnds.isKnown(state, from);
    headers.set(HttpHeaderNames.CONTENT_LENGTH, contentBytes(state, from));
    boolean[] begun = new boolean[1];
    RangeSender range =
        new RangeSender(
            exchange,
            services.io(),
            services.store().read(state, looksBefore ? from - 1 : from, end),
            HttpLimits.CHUNK_BYTES,
            (chunk, next) -> {
              if (!begun[0]) {
                begun[0] = true;
                if (looksBefore && !MessageEnds.isEnd(chunk.readByte())) {
                  chunk.release();
                  close();
                  refuseWithinMessage(exchange);
                  return;
                }
                begin(exchange, headers, json);
              }
              exchange.write(chunk);
              // A slow client reads all the while.
              services.store().touch(stream);
              next.run();
            },
            () -> {
              if (json) {
                exchange.write(ARRAY_END.duplicate());
              }
              exchange.end();
            },
            error -> {
              if (begun[0]) {
                exchange.abort(Failure.ofRead(error, stream.isRemoved()), error);
              } else {
                Refusals.refuseRead(exchange, error, stream);
              }
            });
    sender = range;
    if (!looksBefore) {
      range.sendFiles(() -> {
        if (!begun[0]) {
          begun[0] = true;
          begin(exchange, headers, json);
        }
        services.store().touch(stream);
      });
    }
    range.pump();
  }

  /** Sends what stands before the first chunk. */
  private static void begin(Exchange exchange, HttpHeaders headers, boolean json) {
    exchange.begin(HttpResponseStatus.OK, headers);
    if (json) {
      exchange.write(ARRAY_START.duplicate());
    }
  }

  @Override
  public void writable() {
    if (sender != null) {
      sender.pump();
    }
    if (session != null) {
      session.writable();
    }
  }

  @Override
  public void drain() {
    draining = true;
    Runnable end = onDrain;
    if (end != null) {
      stopWaiting();
      end.run();
    }
    if (session != null) {
      session.drain();
    }
  }

  @Override
  public void close() {
    closed = true;
    stopWaiting();
    if (sender != null) {
      sender.close();
    }
    if (session != null) {
      session.close();
    }
  }
}
