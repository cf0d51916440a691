package capture;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerRoutes;

/**
 * What lies behind the gateway. {@code /api/item} answers with a JSON object, {@code /api/list} with
 * a list of them; {@code /document} with a larger one; {@code /socket} pushes an update every 20 ms and answers every message with a
 * small one.
 */
public final class Backend {
  private static final int JSON_BYTES = 4 << 20;
  private static final byte[] JSON = json();
  private static final Sizes BODIES = new Sizes(0);
  private static final AtomicLong SOCKETS = new AtomicLong();

  private Backend() {}

  /** Argument: the port. */
  public static void main(String[] args) {
    HttpServer.create()
        .host("127.0.0.1")
        .port(Integer.parseInt(args[0]))
        .route(Backend::routes)
        .bindNow()
        .onDispose()
        .block();
  }

  private static void routes(HttpServerRoutes routes) {
    routes
        .get("/api/item", (request, response) -> response.send(body(1_800, 60_000, 1 << 20)))
        .get("/api/list", (request, response) -> response.send(body(40_000, 400_000, 1 << 20)))
        .get("/document", (request, response) -> response.send(body(200_000, 3_000_000, JSON_BYTES)))
        .post(
            "/api/item",
            (request, response) ->
                request.receive().then(response.status(201).send(body(120, 400, 1 << 20)).then()))
        .ws(
            "/socket",
            (in, out) -> {
              Sizes sizes = new Sizes(SOCKETS.incrementAndGet());
              Flux<ByteBuf> updates =
                  Flux.interval(Duration.ofMillis(20))
                      .onBackpressureDrop()
                      .map(
                          tick ->
                              sizes.oneIn(100)
                                  ? text(sizes.next(12_000, 60_000, 64_000))
                                  : text(sizes.next(180, 2_000, 16_000)));
              Flux<ByteBuf> answers = in.receive().map(message -> text(40));
              return out.sendObject(Flux.merge(updates, answers).map(TextWebSocketFrame::new));
            });
  }

  private static Mono<ByteBuf> body(int median, int top, int most) {
    synchronized (BODIES) {
      return Mono.just(text(BODIES.next(median, top, most)));
    }
  }

  private static ByteBuf text(int bytes) {
    return Unpooled.wrappedBuffer(JSON, 0, bytes);
  }

  private static byte[] json() {
    byte[] piece =
        "{\"id\":12345,\"name\":\"some text\",\"tags\":[1,2,3]},".getBytes(StandardCharsets.UTF_8);
    byte[] json = new byte[JSON_BYTES];
    for (int i = 0; i < json.length; i++) {
      json[i] = piece[i % piece.length];
    }
    return json;
  }
}
