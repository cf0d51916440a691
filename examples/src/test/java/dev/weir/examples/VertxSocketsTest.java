package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.net.NetServer;
import java.net.Socket;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class VertxSocketsTest {
  /** Three times what the pool holds. */
  private static final int BYTES = 48 << 20;

  private static final int PIECE_BYTES = 64 << 10;

  @Test
  void whatASlowClientDoesNotReadStaysWithItsSender() throws Exception {
    try (Memory memory = new Memory()) {
      Vertx vertx = VertxSockets.vertx(memory.allocator);
      NetServer server = VertxSockets.start(vertx).toCompletionStage().toCompletableFuture().get();
      byte[] piece = new byte[PIECE_BYTES];
      new Random(1).nextBytes(piece);
      try (Socket client = SlowClient.connect(server.actualPort())) {
        CompletableFuture<Void> sender =
            CompletableFuture.runAsync(() -> {
              try {
                for (int sent = 0; sent < BYTES; sent += PIECE_BYTES) {
                  client.getOutputStream().write(piece);
                }
              } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            });
        memory.awaitAtLeast(PIECE_BYTES);
        for (int read = 0; read < BYTES; read += PIECE_BYTES) {
          byte[] back = client.getInputStream().readNBytes(PIECE_BYTES);
          assertThat(Arrays.equals(back, piece)).isTrue();
        }
        sender.get(60, TimeUnit.SECONDS);
      }
      vertx.close().toCompletionStage().toCompletableFuture().get();
      memory.assertBoundedAndEmpty();
    }
  }
}
