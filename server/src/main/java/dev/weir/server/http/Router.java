package dev.weir.server.http;

import dev.weir.server.protocol.ProtocolException;
import dev.weir.server.protocol.StreamPath;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;

/** Which handler serves a request. */
final class Router {
  private final Services services;

  Router(Services services) {
    this.services = services;
  }

  ExchangeHandler route(HttpRequest request) {
    String path = pathOf(request.uri());
    HttpMethod method = request.method();
    boolean reads = method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD);
    if (path.equals("/") && reads) {
      return new TextHandler(TextHandler.PLAIN, RootPage::text);
    }
    if (path.equals("/metrics") && reads) {
      return new TextHandler(services.metrics().contentType(), services.metrics()::scrape);
    }
    if (!path.startsWith("/")) {
      return refusing(new ProtocolException(400, "the request target must be a path"));
    }
    try {
      String stream = StreamPath.parse(path);
      return streamHandler(method, stream);
    } catch (ProtocolException e) {
      return refusing(e);
    }
  }

  private ExchangeHandler streamHandler(HttpMethod method, String stream) {
    return switch (method.name()) {
      case "GET" -> new ReadHandler(services, stream);
      case "HEAD" -> new HeadHandler(services, stream);
      case "POST" -> new AppendHandler(services, stream);
      case "PUT" -> new CreateHandler(services, stream);
      case "DELETE" -> new DeleteHandler(services, stream);
      case "OPTIONS" ->
          exchange ->
              exchange.respond(
                  HttpResponseStatus.NO_CONTENT,
                  Headers.create()
                      .set(HttpHeaderNames.ALLOW, "GET, HEAD, PUT, POST, DELETE, OPTIONS"));
      default ->
          refusing(new ProtocolException(405, "streams take GET, HEAD, PUT, POST and DELETE"));
    };
  }

  /** The handler of a request that cannot be read. */
  ExchangeHandler unmatched() {
    return refusing(new ProtocolException(400, "malformed HTTP"));
  }

  /** A route's name for the metrics: few, whatever clients send. */
  String routeName(HttpRequest request) {
    String path = pathOf(request.uri());
    if (path.startsWith(StreamPath.PREFIX)) {
      return switch (request.method().name()) {
        case "GET" -> "read";
        case "HEAD" -> "head";
        case "POST" -> "append";
        case "PUT" -> "create";
        case "DELETE" -> "delete";
        default -> "other";
      };
    }
    return path.equals("/metrics") ? "metrics" : path.equals("/") ? "root" : "other";
  }

  private static ExchangeHandler refusing(ProtocolException reason) {
    return exchange -> exchange.refuse(reason, EmptyHttpHeaders.INSTANCE);
  }

  private static String pathOf(String uri) {
    int end = uri.indexOf('?');
    return end < 0 ? uri : uri.substring(0, end);
  }
}
