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

  static AskedFor by(HttpRequest request, AcceptEncoding accepted) {
    boolean tagged = request.headers().contains(HttpHeaderNames.IF_NONE_MATCH);
    return new AskedFor(
        accepted,
        SAFE.contains(request.method()),
        HttpMethod.HEAD.equals(request.method()),
        HttpMethod.CONNECT.equals(request.method()),
        request.protocolVersion().compareTo(HttpVersion.HTTP_1_1) >= 0,
        tagged
            ? AskedTags.parse(request.headers().getAll(HttpHeaderNames.IF_NONE_MATCH))
            : AskedTags.UNKNOWN);
  }
}
