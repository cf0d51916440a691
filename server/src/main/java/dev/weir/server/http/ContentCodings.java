package dev.weir.server.http;

import dev.weir.compression.Compression;
import dev.weir.compression.ContentCoding;
import dev.weir.compression.codec.Decoder;
import dev.weir.compression.http.AcceptEncoding;
import dev.weir.compression.http.HttpResponseCompressor;
import dev.weir.compression.http.MediaTypes;
import dev.weir.compression.http.RequestCoding;
import dev.weir.compression.http.ResponseOptions;
import dev.weir.streams.protocol.ProtocolException;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * In which codings contents are sent, and taken.
 *
 * @param compression what there is; null for none
 */
record ContentCodings(@Nullable Compression compression) {
  /** What a client may read for a minute, waiting most of it, with a context of its own. */
  private static final String EVENTS = "text/event-stream";

  private static final ResponseOptions RESPONSES =
      ResponseOptions.DEFAULT.withCompressible(ContentCodings::isWorthIt);

  private static boolean isWorthIt(String contentType) {
    return !contentType.startsWith(EVENTS) && MediaTypes.isCompressible(contentType);
  }

  private List<ContentCoding> offered() {
    return compression == null ? List.of() : compression.codings();
  }

  /** What compresses the responses of a connection of HTTP/1, if anything does. */
  List<ChannelHandler> handlers(ConnectionMemory memory) {
    return compression == null
        ? List.of()
        : List.of(new HttpResponseCompressor(compression, RESPONSES, memory::responses));
  }

  /** The same for a stream of HTTP/2. */
  void addToStream(ChannelPipeline pipeline, ConnectionMemory memory) {
    if (compression != null) {
      pipeline.addLast(NoEmptyFrames.INSTANCE);
      handlers(memory).forEach(pipeline::addLast);
    }
  }

  /**
   * The coding of a request's body; null if it has none.
   *
   * @throws dev.weir.compression.http.RequestRefusal if it is not known, or there are several
   */
  @Nullable ContentCoding of(HttpRequest request) {
    return request.headers().contains(HttpHeaderNames.CONTENT_ENCODING)
        ? RequestCoding.of(request.headers(), offered())
        : null;
  }

  /** Begins to decode a body. */
  Decoder decoder(ContentCoding coding) {
    if (compression == null) {
      throw new IllegalStateException("there is nothing to decode " + coding + " with");
    }
    return compression.decoder(coding);
  }

  /** What bodies may be encoded in, as a header says it. */
  String accepted() {
    return offered().isEmpty()
        ? "identity"
        : offered().stream().map(ContentCoding::token).collect(Collectors.joining(", "));
  }

  /**
   * Why a request to read cannot be answered; null where a content can be had, or is not asked for.
   */
  @Nullable ProtocolException refuse(HttpRequest request) {
    boolean reads =
        request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD);
    if (!reads || !request.headers().contains(HttpHeaderNames.ACCEPT_ENCODING)) {
      return null;
    }
    AcceptEncoding accepted =
        AcceptEncoding.parse(request.headers().getAll(HttpHeaderNames.ACCEPT_ENCODING));
    if (accepted.acceptsIdentity() || accepted.choose(offered()) != null) {
      return null;
    }
    String listed = offered().isEmpty() ? "identity" : accepted() + ", identity";
    return new ProtocolException(406, "Accept-Encoding leaves nothing that there is: " + listed);
  }
}
