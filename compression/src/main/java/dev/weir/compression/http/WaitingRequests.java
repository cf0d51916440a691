package dev.weir.compression.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;

/**
 * What is to be remembered of the requests of one channel whose responses have not begun. Clients
 * say the same with every request, so what they accept is read once for as long as they do.
 */
final class WaitingRequests {
  /** A client that is so far ahead reads nothing. */
  private static final int MAX_WAITING = 16 << 10;

  /** What browsers send has 30 characters; longer ones are read each time, and not kept. */
  private static final int MAX_KEPT_CHARS = 256;

  private final ArrayDeque<AskedFor> waiting = new ArrayDeque<>();
  private String lastValue = "";
  private AcceptEncoding lastAccepted = AcceptEncoding.NOT_SENT;
  private AskedFor lastAsked = AskedFor.NOTHING;

  /** Remembers a request; false if there are too many. */
  boolean tryAdd(HttpRequest request) {
    if (waiting.size() == MAX_WAITING) {
      return false;
    }
    AskedFor asked = AskedFor.by(request, accepted(request.headers()), lastAsked);
    if (asked.accepted() == lastAccepted) {
      lastAsked = asked;
    }
    waiting.add(asked);
    return true;
  }

  private AcceptEncoding accepted(HttpHeaders headers) {
    Iterator<? extends CharSequence> values =
        headers.valueCharSequenceIterator(HttpHeaderNames.ACCEPT_ENCODING);
    if (!values.hasNext()) {
      return AcceptEncoding.NOT_SENT;
    }
    String value = values.next().toString();
    if (values.hasNext() || value.length() > MAX_KEPT_CHARS) {
      return AcceptEncoding.parse(headers.getAll(HttpHeaderNames.ACCEPT_ENCODING));
    }
    if (!value.equals(lastValue) || lastAccepted == AcceptEncoding.NOT_SENT) {
      lastValue = value;
      lastAccepted = AcceptEncoding.parse(List.of(value));
    }
    return lastAccepted;
  }

  /** The request that a response is to; one that says nothing if there is none. */
  AskedFor next() {
    AskedFor next = waiting.poll();
    return next == null ? AskedFor.NOTHING : next;
  }

  /** Forgets all. */
  void clear() {
    waiting.clear();
  }
}
