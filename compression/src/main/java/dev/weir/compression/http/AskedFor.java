package dev.weir.compression.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;

/**
 * What is to be remembered of a request until its response.
 *
 * @param accepted the codings that the client takes
 * @param head whether the response will have no content
 * @param connect whether the response may begin a tunnel
 * @param chunks whether the client understands a content of unknown length
 * @param tags what kind of content the client has already
 */
record AskedFor(
    AcceptEncoding accepted, boolean head, boolean connect, boolean chunks, AskedTags tags) {
  /** For a response to nothing: it stays as it is. */
  static final AskedFor NOTHING =
      new AskedFor(AcceptEncoding.NOT_SENT, false, false, false, AskedTags.UNKNOWN);

  static AskedFor by(HttpRequest request, AcceptEncoding accepted) {
    boolean tagged = request.headers().contains(HttpHeaderNames.IF_NONE_MATCH);
    return new AskedFor(
        accepted,
        HttpMethod.HEAD.equals(request.method()),
        HttpMethod.CONNECT.equals(request.method()),
        request.protocolVersion().compareTo(HttpVersion.HTTP_1_1) >= 0,
        tagged
            ? AskedTags.parse(request.headers().getAll(HttpHeaderNames.IF_NONE_MATCH))
            : AskedTags.UNKNOWN);
  }
}
