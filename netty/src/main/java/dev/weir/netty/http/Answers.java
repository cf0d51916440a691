package dev.weir.netty.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http2.Http2StreamChannel;
import org.jspecify.annotations.Nullable;

/**
 * Follows the responses that an application writes, part by part, to know where each ends. Used on
 * one event loop.
 */
final class Answers {
  private HttpMethod method = HttpMethod.GET;
  private HttpResponseStatus status = HttpResponseStatus.OK;

  /** Whether the head of a response has been written, and its end has not. */
  private boolean begun;

  /** Of that response: handlers nearer to the wire may change them still. */
  private @Nullable HttpHeaders headers;

  /** How that head is sent, if it has come alone. */
  private @Nullable ChannelFuture head;

  private boolean headIsNext;
  private @Nullable ChannelFuture last;

  /**
   * Takes note of a message; whether a response ends with it. {@code 100 Continue} is none, nor is
   * an end without a head before it, which the encoder refuses.
   */
  boolean isEnded(Object message) {
    if (message instanceof HttpResponse response) {
      status = response.status();
      begun = isFinal(status);
      headers = begun ? response.headers() : null;
      head = null;
    }
    boolean ended = begun && ResponseEnds.isOne(message);
    headIsNext = begun && !ended && message instanceof HttpResponse;
    begun &= !ended;
    return ended;
  }

  /** Whether a message would be a part of a response: its head, or anything up to its end. */
  boolean isPart(Object message) {
    return begun || (message instanceof HttpResponse response && isFinal(response.status()));
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
    return status.equals(HttpResponseStatus.SWITCHING_PROTOCOLS)
        || (method.equals(HttpMethod.CONNECT) && status.codeClass() == HttpStatusClass.SUCCESS);
  }

  /**
   * Whether the end of the channel is that of the last response, as it has been written: a client
   * takes for whole what has come until then. Not where its head is lost: nothing has come.
   */
  boolean endWith(Channel channel) {
    return headers != null
        && !(channel instanceof Http2StreamChannel)
        && !isLost(head)
        && !method.equals(HttpMethod.HEAD)
        && !status.equals(HttpResponseStatus.NO_CONTENT)
        && !status.equals(HttpResponseStatus.NOT_MODIFIED)
        && !headers.contains(HttpHeaderNames.CONTENT_LENGTH)
        && !isChunked(headers);
  }

  /** As RFC 9112, 6.3 has it; without anything made, for which there may be no Java heap. */
  private static boolean isChunked(HttpHeaders headers) {
    String coding = headers.get(HttpHeaderNames.TRANSFER_ENCODING);
    String last = HttpHeaderValues.CHUNKED.toString();
    return coding != null
        && coding.regionMatches(
            /* ignoreCase= */ true, coding.length() - last.length(), last, 0, last.length());
  }

  /** Whether a client would take the end of the channel, now, for that of a response. */
  boolean seemWhole(Channel channel) {
    return endWith(channel) && (begun || isLost() || !areSent());
  }

  /** Whether all has been sent, or has failed. */
  boolean areSent() {
    return last == null || last.isDone();
  }

  /**
   * Whether the last part will not be sent, though nobody may have heard of it: deep in a stack of
   * listeners Netty tells them later. Of a part before it only its listener knows.
   */
  boolean isLost() {
    return isLost(last);
  }

  private static boolean isLost(@Nullable ChannelFuture part) {
    return part != null && part.isDone() && !part.isSuccess();
  }

  /** Whether nothing has been written behind a part. */
  boolean isLast(ChannelFuture part) {
    return part.equals(last);
  }

  /** Takes note of how a part is sent. */
  void sending(ChannelFuture part) {
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
      last.addListener(ChannelFutureListener.CLOSE);
    }
  }
}
