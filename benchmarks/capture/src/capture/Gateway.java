package capture;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cloud.gateway.route.RouteLocator;
import org.springframework.cloud.gateway.route.builder.RouteLocatorBuilder;
import org.springframework.context.annotation.Bean;
import reactor.core.publisher.Mono;

/**
 * Spring Cloud Gateway as its guide sets it up: two routes that pass everything on, and one that
 * rewrites the bodies of responses, for which it holds each of them whole.
 */
@SpringBootApplication
public class Gateway {

  /** Arguments: the port to listen on, and that of the backend. */
  public static void main(String[] args) {
    SpringApplication.run(
        Gateway.class,
        "--server.address=127.0.0.1",
        "--server.port=" + args[0],
        "--spring.http.codecs.max-in-memory-size=8MB",
        "--backend=" + args[1]);
  }

  @Bean
  RouteLocator routes(RouteLocatorBuilder routes, @Value("${backend}") int port) {
    return routes
        .routes()
        .route("api", route -> route.path("/api/**").uri("http://127.0.0.1:" + port))
        .route(
            "document",
            route ->
                route
                    .path("/document")
                    .filters(
                        filters ->
                            filters.modifyResponseBody(
                                byte[].class, byte[].class, (exchange, body) -> rewritten(body)))
                    .uri("http://127.0.0.1:" + port))
        .route("socket", route -> route.path("/socket").uri("ws://127.0.0.1:" + port))
        .build();
  }

  /** As if it were another one. */
  private static Mono<byte[]> rewritten(byte[] body) {
    return Mono.just(body.clone());
  }
}
