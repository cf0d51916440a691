package dev.weir.compression.http;

import dev.weir.netty.http.ResponseEnds;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;

/** Whose turn it is to be answered on a connection where requests may run ahead. */
final class AnswerTurns {
  private long requests;
  private long begun;
  private long ended;

  /** Whether the head before is one of those that announce the response, or what follows it. */
  private boolean interim;

  /** A request has arrived. */
  void requested() {
    requests++;
  }

  /** A message of a response goes out. */
  void written(Object message) {
    if (message instanceof HttpResponse response) {
      HttpResponseStatus status = response.status();
      interim =
          status.codeClass() == HttpStatusClass.INFORMATIONAL
              && !status.equals(HttpResponseStatus.SWITCHING_PROTOCOLS);
      begun += interim ? 0 : 1;
    }
    if (ResponseEnds.isOne(message)) {
      // One that comes twice is refused by the codec.
      ended += interim || ended == begun ? 0 : 1;
    }
  }

  /** Whether the last request is the one to be answered, and nobody has begun to. */
  boolean isLastOnesTurn() {
    return begun < requests && ended >= requests - 1;
  }

  /** Whether a response to the last request has begun. */
  boolean hasLastBegun() {
    return begun >= requests;
  }
}
