package dev.weir.server.http;

import dev.weir.streams.protocol.ProtocolException;
import dev.weir.streams.protocol.StreamPath;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;

/** Which handler serves a request. */
class Router {
  private final Services services;
  private final ConsoleRoutes console;

  Router(Services services) {
    this.services = services;
    this.console = new ConsoleRoutes(services);
  }

  ExchangeHandler route(HttpRequest request) {
    ProtocolException foreign =
        services.access().refuse(request, RequestTarget.authorityOf(request.uri()));
    if (foreign != null) {
      return refusing(foreign);
    }
    ProtocolException unacceptable = services.codings().refuse(request);
    if (unacceptable != null) {
      return refusing(unacceptable);
    }
    String path = RequestTarget.pathOf(request.uri());
    HttpMethod method = request.method();
    boolean reads = method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD);
    if (path.equals("/") && reads) {
      return new TextHandler(TextHandler.PLAIN, RootPage::text);
    }
    if (path.equals("/metrics") && reads) {
      return new TextHandler(services.metrics().contentType(), services.metrics()::scrape);
    }
    if (path.equals("/health") && reads) {
      return new HealthHandler(services.store().stats());
    }
    if (console.serves(path)) {
      return console.route(method, path);
    }
    if (path.equals("*") && method.equals(HttpMethod.OPTIONS)) {
      return Router::options;
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
      case "OPTIONS" -> Router::options;
      default ->
          exchange -> exchange.refuse(405, "streams take GET, HEAD, PUT, POST and DELETE", allow());
    };
  }

  /** The handler of a request that cannot be read. */
  ExchangeHandler unmatched() {
    return refusing(new ProtocolException(400, "malformed HTTP"));
  }

  /** A route's name for the metrics: few, whatever clients send. */
  String routeName(HttpRequest request) {
    String path = RequestTarget.pathOf(request.uri());
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
    if (console.serves(path)) {
      return "console";
    }
    return switch (path) {
      case "/metrics" -> "metrics";
      case "/health" -> "health";
      case "/" -> "root";
      default -> "other";
    };
  }

  /** Whether a connection ends with its first answer. */
  boolean endsConnections() {
    return false;
  }

  private static ExchangeHandler refusing(ProtocolException reason) {
    return exchange -> exchange.refuse(reason, EmptyHttpHeaders.INSTANCE);
  }

  private static void options(Exchange exchange) {
    exchange.respond(HttpResponseStatus.NO_CONTENT, allow());
  }

  private static HttpHeaders allow() {
    return Headers.create().set(HttpHeaderNames.ALLOW, "GET, HEAD, PUT, POST, DELETE, OPTIONS");
  }
}
