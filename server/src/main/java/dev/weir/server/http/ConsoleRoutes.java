package dev.weir.server.http;

import dev.weir.server.console.ConsoleFiles;
import dev.weir.server.console.ProfileForm;
import dev.weir.streams.protocol.ProtocolException;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;

/** What lies below {@code /_weir/}. Nothing of it changes anything. */
final class ConsoleRoutes {
  private static final String ROOT = "/_weir";

  private final Services services;
  private final ConsoleGuard guard;

  ConsoleRoutes(Services services) {
    this.services = services;
    this.guard = new ConsoleGuard(services.console().access());
  }

  boolean serves(String path) {
    return path.equals(ROOT) || path.startsWith(ROOT + "/");
  }

  ExchangeHandler route(HttpMethod method, String path) {
    if (!method.equals(HttpMethod.GET) && !method.equals(HttpMethod.HEAD)) {
      return guarded(exchange ->
          exchange.refuse(
              405,
              "the console takes GET and HEAD: it shows, and changes nothing",
              Headers.create().set(HttpHeaderNames.ALLOW, "GET, HEAD")));
    }
    return switch (path.substring(ROOT.length())) {
      case "" ->
          guarded(exchange ->
              exchange.respond(
                  HttpResponseStatus.PERMANENT_REDIRECT,
                  Headers.create().set(HttpHeaderNames.LOCATION, ROOT + "/")));
      case "/snapshot" -> guarded(new ConsoleSnapshot(services.console()));
      case "/pages" -> guarded(new ConsolePages(services.console()));
      case "/profile.pb.gz" -> profile(ProfileForm.PPROF);
      case "/profile.collapsed" -> profile(ProfileForm.COLLAPSED);
      case "/flame" -> profile(ProfileForm.FLAME);
      case "/dump" -> profile(ProfileForm.DUMP);
      case "/events" -> guarded(new ConsoleEvents(services.console(), services.limits()));
      case "/" -> file("index.html");
      default -> file(path.substring(ROOT.length() + 1));
    };
  }

  private ExchangeHandler profile(ProfileForm form) {
    return guarded(new ConsoleProfile(services.console(), form));
  }

  private ExchangeHandler file(String name) {
    ConsoleFiles.ConsoleFile file = ConsoleFiles.find(name);
    if (file == null) {
      return guarded(exchange ->
          exchange.refuse(
              new ProtocolException(404, "the console has no such page; it begins at /_weir/"),
              EmptyHttpHeaders.INSTANCE));
    }
    return guarded(new ConsoleFileHandler(file));
  }

  private ExchangeHandler guarded(ExchangeHandler handler) {
    return guard.before(handler);
  }
}
