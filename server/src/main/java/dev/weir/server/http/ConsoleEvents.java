package dev.weir.server.http;

import dev.weir.server.console.Console;
import dev.weir.server.console.Frame;
import dev.weir.server.metrics.Failure;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The figures as they change, as server-sent events: {@code history} once, then {@code view} again
 * and again. A client that reads slowly misses views; one that reads nothing for the time of a
 * stall is dropped. Ends after a while, for the client to come back.
 */
final class ConsoleEvents implements ExchangeHandler, Console.Watcher {
  private final Console console;
  private final HttpLimits limits;

  /** The newest view that the loop has not come to: an older one gives way to it. */
  private final AtomicReference<@Nullable ByteBuf> waiting = new AtomicReference<>();

  private @Nullable Exchange exchange;
  private @Nullable Future<?> timer;
  private long writableNanos;
  private boolean watching;

  /** The history is sent: views may follow. */
  private volatile boolean begun;

  private volatile boolean over;

  ConsoleEvents(Console console, HttpLimits limits) {
    this.console = console;
    this.limits = limits;
  }

  @Override
  public void start(Exchange started) {
    exchange = started;
    if (started.request().method().equals(HttpMethod.HEAD)) {
      started.respond(HttpResponseStatus.OK, ConsoleHeaders.of("text/event-stream", "no-cache"));
      return;
    }
    if (!console.watch(this)) {
      started.refuse(
          503,
          "%d clients watch already, as many as may".formatted(Console.MAX_WATCHERS),
          Headers.create().set(HttpHeaderNames.RETRY_AFTER, "5"));
      return;
    }
    watching = true;
    writableNanos = System.nanoTime();
    started.closeAfterwards();
    started.begin(HttpResponseStatus.OK, ConsoleHeaders.of("text/event-stream", "no-cache"));
    started.whenDone(console.history(), this::begin);
    timer = started.schedule(this::finish, limits.liveTimeout().toMillis(), TimeUnit.MILLISECONDS);
  }

  private void begin(byte[] history) {
    Exchange to = exchange;
    if (to != null && !over) {
      to.push(
          DirectBytes.of(
              "retry: 1000\nevent: history\ndata: ".getBytes(StandardCharsets.US_ASCII),
              history,
              "\n\n".getBytes(StandardCharsets.US_ASCII)));
      to.flush();
      to.watchForClose();
      begun = true;
    }
  }

  @Override
  public void show(Frame frame) {
    Exchange to = exchange;
    if (to == null || !begun || over) {
      return;
    }
    ByteBuf older = waiting.getAndSet(frame.event());
    if (older != null) {
      older.release();
    } else {
      try {
        to.onLoop(this::send);
      } catch (RejectedExecutionException loopHasEnded) {
        over = true;
      }
    }
    if (over) {
      dropWaiting();
    }
  }

  private void send() {
    ByteBuf event = waiting.getAndSet(null);
    Exchange to = exchange;
    if (event == null || to == null) {
      return;
    }
    if (to.isWritable()) {
      writableNanos = System.nanoTime();
      to.push(event);
      to.flush();
      to.watchForClose();
      return;
    }
    event.release();
    if (System.nanoTime() - writableNanos > limits.stallTimeout().toNanos()) {
      to.abort(Failure.STALLED, new IOException("a client of the console does not read"));
    }
  }

  private void finish() {
    Exchange to = exchange;
    if (to != null && !over) {
      close();
      to.end();
    }
  }

  @Override
  public void drain() {
    finish();
  }

  @Override
  public void close() {
    over = true;
    if (watching) {
      watching = false;
      console.leave(this);
    }
    Future<?> running = timer;
    timer = null;
    if (running != null) {
      running.cancel(false);
    }
    dropWaiting();
  }

  private void dropWaiting() {
    ByteBuf event = waiting.getAndSet(null);
    if (event != null) {
      event.release();
    }
  }
}
