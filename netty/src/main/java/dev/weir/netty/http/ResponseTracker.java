package dev.weir.netty.http;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import org.jspecify.annotations.Nullable;

/**
 * Follows the responses that an application writes, part by part, to know where each ends. What is
 * written first is taken to be sent first. Used on one event loop.
 */
final class ResponseTracker {
  /** Of the request that is passed on. */
  private HttpMethod method = HttpMethod.GET;

  /** Of the one that the last response is to. */
  private HttpMethod answered = HttpMethod.GET;

  private HttpResponseStatus status = HttpResponseStatus.OK;

  /** Of the last head, which may lie within what a client takes for the body of that response. */
  private HttpResponseStatus lastStatus = HttpResponseStatus.OK;

  /** Whether the head of a response has been written, and its end has not. */
  private boolean begun;

  /** Of that response: handlers nearer to the wire may change them still. */
  private @Nullable HttpHeaders headers;

  /** How the head is sent, once it is. */
  private @Nullable ChannelFuture head;

  private boolean headIsNext;

  /** Whether the head has come without a body. */
  private boolean headIsAlone;

  private @Nullable PartPromise last;

  /**
   * Takes note of a message, which is no head in the middle of a response. {@code 100 Continue} is
   * no response, nor is an end without a head before it, which the encoder refuses.
   */
  void writing(Object message) {
    if (!begun && message instanceof HttpResponse response) {
      // What is written behind a body that ends with the channel is more of it, for the client.
      boolean isNext = areSent() || !endWithChannel();
      lastStatus = response.status();
      begun = isFinal(lastStatus);
      if (isNext) {
        begin(response);
      }
    }
    begun &= !isEnd(message);
  }

  private void begin(HttpResponse response) {
    status = lastStatus;
    headers = begun ? response.headers() : null;
    head = null;
    headIsNext = begun;
    headIsAlone = !ResponseEnds.isOne(response);
    answered = method;
  }

  /** Whether a message would be a part of a response: its head, or anything up to its end. */
  boolean isPart(Object message) {
    return begun || (message instanceof HttpResponse response && isFinal(response.status()));
  }

  /** Whether a response would end with such a part. */
  static boolean isEnd(Object part) {
    return ResponseEnds.isOne(part)
        && !(part instanceof HttpResponse response && !isFinal(response.status()));
  }

  private static boolean isFinal(HttpResponseStatus status) {
    return status.codeClass() != HttpStatusClass.INFORMATIONAL
        || status.equals(HttpResponseStatus.SWITCHING_PROTOCOLS);
  }

  /** Takes note of the request that the next response is to. */
  void asked(HttpMethod method) {
    this.method = method;
  }

  /** Whether what follows the last response is HTTP no more. */
  boolean leaveHttp() {
    return lastStatus.equals(HttpResponseStatus.SWITCHING_PROTOCOLS)
        || (method.equals(HttpMethod.CONNECT) && lastStatus.codeClass() == HttpStatusClass.SUCCESS);
  }

  /**
   * Whether the end of the channel is that of the last response, as it has been written: a client
   * takes for whole what has come until then. Not where its head is lost: nothing has come. Nor of
   * a stream of HTTP/2, which has an end of its own.
   */
  boolean endWithChannel() {
    HttpHeaders current = headers; // Where the loop takes no task it is looked at beside it.
    return current != null
        && !(headIsAlone && isLost(head))
        && !answered.equals(HttpMethod.HEAD)
        && !status.equals(HttpResponseStatus.NO_CONTENT)
        && !status.equals(HttpResponseStatus.NOT_MODIFIED)
        && !current.contains(HttpHeaderNames.CONTENT_LENGTH)
        && !isChunked(current);
  }

  /** As RFC 9112, 6.3 has it. */
  private static boolean isChunked(HttpHeaders headers) {
    String coding = headers.get(HttpHeaderNames.TRANSFER_ENCODING);
    String end = HttpHeaderValues.CHUNKED.toString();
    return coding != null
        && coding.regionMatches(
            /* ignoreCase= */ true, coding.length() - end.length(), end, 0, end.length());
  }

  /** Whether a client would take the end of the channel, now, for that of a response. */
  boolean seemWhole() {
    return endWithChannel() && (begun || isLost(last) || !areSent());
  }

  /** Whether all has been sent, or has failed. */
  boolean areSent() {
    return last == null || last.isDone();
  }

  /** Whether a part will not be sent. */
  private static boolean isLost(@Nullable ChannelFuture part) {
    return part != null && part.isDone() && !part.isSuccess();
  }

  /** Whether nothing has been written behind a part. */
  boolean isLast(ChannelFuture part) {
    return part.equals(last);
  }

  /** Whether a part is, or has, the head of the last response. */
  boolean isHead(ChannelFuture part) {
    return part.equals(head);
  }

  /** Nothing of the last response is sent. */
  void dropHead() {
    headers = null;
  }

  /** Whether the head of a response has been written, and its end has not. */
  boolean hasBegun() {
    return begun;
  }

  /** The end of a response has left: an idle connection is to keep nothing of it. */
  void sent() {
    if (!begun && last != null && last.isSuccess()) {
      headers = null;
      head = null;
      last = null;
    }
  }

  /** Takes note of how a part is sent. */
  void sending(PartPromise part) {
    last = part;
    if (headIsNext) {
      head = part;
      headIsNext = false;
    }
  }

  /** Closes the channel once the last response has been sent. */
  void closeAfterLast(ChannelHandlerContext ctx) {
    if (last == null) {
      ctx.close();
    } else {
      last.closeWhenTold();
    }
  }
}
