package dev.weir.objects.s3.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.http.SdkHttpFullResponse;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.async.AsyncExecuteRequest;

/**
 * A request and its response. It ends once; its attempt hears of that when the last write of the
 * request's body is over too, since until then its memory is read.
 */
final class HttpExchange {
  private final AsyncExecuteRequest request;
  private final Attempt attempt;
  private final ConnectionPool.Target target;
  private final CompletableFuture<Void> outcome = new CompletableFuture<>();
  private volatile boolean isBegun;
  private volatile boolean isAborted;
  private volatile @Nullable Channel channel;

  // On the event loop, once there is a channel.
  private @Nullable RequestBodyWriter writer;
  private @Nullable ResponseBodyPublisher body;
  private boolean isOver;

  /** The connection may be another exchange's by now. */
  private boolean isReceived;

  private long lastByteNanos = System.nanoTime();

  HttpExchange(AsyncExecuteRequest request, Attempt attempt) {
    this.request = request;
    this.attempt = attempt;
    SdkHttpRequest head = request.request();
    this.target =
        new ConnectionPool.Target("https".equals(head.protocol()), head.host(), head.port());
  }

  ConnectionPool.Target target() {
    return target;
  }

  CompletableFuture<Void> outcome() {
    return outcome;
  }

  boolean isAborted() {
    return isAborted;
  }

  /** False: its attempt was cancelled. */
  boolean tryBegin() {
    isBegun = attempt.tryBegin(this::abort);
    return isBegun;
  }

  /** Ends it without a connection. */
  void refuse(IOException reason) {
    isOver = true;
    request.responseHandler().onError(reason);
    if (isBegun) {
      attempt.exchangeEnded();
    }
    outcome.completeExceptionally(reason);
  }

  /** Ends it early, from any thread. */
  void abort() {
    isAborted = true;
    Channel running = channel;
    if (running != null) {
      running.eventLoop().execute(() -> fail(new IOException("the request was cancelled")));
    }
  }

  /** Sends the request. */
  void start(Channel connected) {
    channel = connected;
    if (isAborted) {
      fail(new IOException("the request was cancelled"));
      return;
    }
    moved();
    connected.write(head());
    RequestBodyWriter started = new RequestBodyWriter(this, connected);
    writer = started;
    request.requestContentPublisher().subscribe(started);
  }

  private HttpRequest head() {
    SdkHttpRequest head = request.request();
    String path = head.encodedPath().isEmpty() ? "/" : head.encodedPath();
    String uri = head.encodedQueryParameters().map(query -> path + "?" + query).orElse(path);
    HttpRequest message =
        new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.valueOf(head.method().name()), uri);
    head.headers().forEach((name, values) -> message.headers().add(name, values));
    if (!message.headers().contains(HttpHeaderNames.HOST)) {
      message.headers().set(HttpHeaderNames.HOST, head.host() + ":" + head.port());
    }
    return message;
  }

  /** A byte went or came. */
  void moved() {
    lastByteNanos = System.nanoTime();
  }

  long silenceNanos() {
    return System.nanoTime() - lastByteNanos;
  }

  /** Whether all of the request was sent. */
  boolean isWritten() {
    return writer != null && writer.isComplete();
  }

  /** The response's head. */
  void responded(HttpResponse head) {
    if (isOver) {
      return;
    }
    moved();
    Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (Map.Entry<String, String> header : head.headers()) {
      headers.computeIfAbsent(header.getKey(), name -> new ArrayList<>()).add(header.getValue());
    }
    ResponseBodyPublisher publisher =
        new ResponseBodyPublisher(Objects.requireNonNull(channel), this);
    body = publisher;
    try {
      request
          .responseHandler()
          .onHeaders(
              SdkHttpFullResponse.builder()
                  .statusCode(head.status().code())
                  .statusText(head.status().reasonPhrase())
                  .headers(headers)
                  .build());
      request.responseHandler().onStream(publisher);
    } catch (RuntimeException e) {
      fail(new IOException("the response was not taken: " + e, e));
    }
  }

  /** A piece of the response's body, which is read or retained before this returns. */
  void received(ByteBuf bytes) {
    moved();
    if (!isOver && body != null && bytes.isReadable()) {
      body.push(bytes);
    }
  }

  /** The connection has no more of this exchange. */
  void receivedAll() {
    isReceived = true;
  }

  /** The response is whole. */
  void ended() {
    if (!isOver && body != null) {
      body.complete();
    }
  }

  /** The response was handed over. */
  void delivered() {
    if (!isOver) {
      isOver = true;
      if (writer != null && !writer.isComplete()) {
        writer.stop();
      }
      finish(null);
    }
  }

  /** Ends it with an error, and its connection. */
  void fail(IOException error) {
    if (isOver) {
      return;
    }
    isOver = true;
    if (writer != null) {
      writer.stop();
    }
    if (body != null) {
      body.fail(error);
    }
    Channel running = channel;
    if (running != null && !isReceived) {
      running.close();
    }
    request.responseHandler().onError(error);
    finish(error);
  }

  private void finish(@Nullable IOException error) {
    RequestBodyWriter last = writer;
    if (last == null) {
      attempt.exchangeEnded();
    } else {
      last.whenReleased(() -> attempt.exchangeEnded());
    }
    if (error == null) {
      outcome.complete(null);
    } else {
      outcome.completeExceptionally(error);
    }
  }
}
