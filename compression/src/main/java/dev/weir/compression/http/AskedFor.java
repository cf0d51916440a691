package dev.weir.compression.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.util.Set;

/**
 * What is to be remembered of a request until its response.
 *
 * @param accepted the codings that the client takes
 * @param safe whether a client that gets an error may ask again, since nothing is done for it (RFC
 *     9110, section 9.2.1)
 * @param head whether the response will have no content
 * @param connect whether the response may begin a tunnel
 * @param chunks whether the client understands a content of unknown length
 * @param tags what kind of content the client has already
 */
record AskedFor(
    AcceptEncoding accepted,
    boolean safe,
    boolean head,
    boolean connect,
    boolean chunks,
    AskedTags tags) {
  private static final Set<HttpMethod> SAFE =
      Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS, HttpMethod.TRACE);

  /** For a response to nothing: it stays as it is. */
  static final AskedFor NOTHING =
      new AskedFor(AcceptEncoding.NOT_SENT, false, false, false, false, AskedTags.UNKNOWN);

  /**
   * What a request asks for.
   *
   * @param last what the client asked for before, which is told again where it is the same: clients
   *     ask for the same again and again
   */
  static AskedFor by(HttpRequest request, AcceptEncoding accepted, AskedFor last) {
    boolean safe = SAFE.contains(request.method());
    boolean head = HttpMethod.HEAD.equals(request.method());
    boolean connect = HttpMethod.CONNECT.equals(request.method());
    boolean chunks = request.protocolVersion().compareTo(HttpVersion.HTTP_1_1) >= 0;
    AskedTags tags =
        request.headers().contains(HttpHeaderNames.IF_NONE_MATCH)
            ? AskedTags.parse(request.headers().getAll(HttpHeaderNames.IF_NONE_MATCH))
            : AskedTags.UNKNOWN;
    return last.accepted == accepted
            && last.safe == safe
            && last.head == head
            && last.connect == connect
            && last.chunks == chunks
            && last.tags == tags
        ? last
        : new AskedFor(accepted, safe, head, connect, chunks, tags);
  }
}
