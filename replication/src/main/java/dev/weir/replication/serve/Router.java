package dev.weir.replication.serve;

import dev.weir.replication.imports.Imports;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.QueryStringDecoder;
import org.jspecify.annotations.Nullable;

/**
 * Which part of a server answers what.
 *
 * <pre>
 * GET    /containers                  the names, as JSON
 * GET    /containers/{id}/manifest    200 with the manifest; 202 while it is being made
 * GET    /containers/{id}/bytes       with Range, and If-Match: the manifest's tag
 * POST   /imports?name={name}         with a manifest; the id, and what is missing
 * PATCH  /imports/{id}                with Content-Range, and whole chunks
 * GET    /imports/{id}                what is missing, of first= and last= where that is said
 * DELETE /imports/{id}                ends it, and removes what has come
 * GET    /metrics
 * PUT    /rate                        bytes a second, such as 100M; from this machine alone
 * </pre>
 */
final class Router {
  private final ContainerRoutes containers;
  private final @Nullable ImportRoutes imports;
  private final AdminRoutes admin;

  Router(Services services) {
    containers = new ContainerRoutes(services);
    Imports taken = services.imports();
    imports = taken == null ? null : new ImportRoutes(services, taken);
    admin = new AdminRoutes(services);
  }

  void route(Reply reply, HttpRequest request) {
    QueryStringDecoder target = new QueryStringDecoder(request.uri());
    String[] parts = target.rawPath().replaceFirst("^/", "").split("/", -1);
    HttpMethod method = request.method();
    boolean reads = method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD);
    if (parts[0].equals("imports")) {
      imports(reply, request, target, parts);
    } else if (parts.length == 1
        && parts[0].equals("rate")
        && (reads || method.equals(HttpMethod.PUT))) {
      admin.rate(reply, request);
    } else if (!reads) {
      reply.refuse(
          HttpResponseStatus.METHOD_NOT_ALLOWED,
          Refusal.REQUEST,
          "only GET and HEAD are understood there");
    } else if (parts.length == 1 && parts[0].equals("metrics")) {
      admin.metrics(reply);
    } else if (parts[0].equals("containers")) {
      containers.route(reply, request, target, parts);
    } else {
      reply.refuse(
          HttpResponseStatus.NOT_FOUND,
          Refusal.MISSING,
          "there is no '%s'; /containers lists what there is".formatted(target.rawPath()));
    }
  }

  private void imports(
      Reply reply, HttpRequest request, QueryStringDecoder target, String[] parts) {
    if (imports == null) {
      reply.refuse(
          HttpResponseStatus.FORBIDDEN,
          Refusal.CLIENT,
          "imports are off here; start the server with --imports DIR");
    } else {
      imports.route(reply, request, target, parts);
    }
  }
}
