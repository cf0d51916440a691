package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.write.WriteGate;
import dev.weir.netty.write.WriteGateOptions;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class VertxSocketsTest {
  /** Three times what the pool holds. */
  private static final int BYTES = 48 << 20;

  private static final int PIECE_BYTES = 64 << 10;

  private final byte[] piece = new byte[PIECE_BYTES];

  @Test
  void whatASlowClientDoesNotReadStaysWithItsSender() throws Exception {
    new Random(1).nextBytes(piece);
    try (Memory memory = new Memory()) {
      Vertx vertx = Vertx.vertx();
      WriteGate gate = new WriteGate(WriteGateOptions.within(Memory.LIMIT_BYTES));
      try (Socket client = connect(vertx, memory, gate)) {
        CompletableFuture<Void> sender = send(client);
        memory.awaitAtLeast(PIECE_BYTES);
        for (int read = 0; read < BYTES; read += PIECE_BYTES) {
          byte[] back = client.getInputStream().readNBytes(PIECE_BYTES);
          assertThat(Arrays.equals(back, piece)).isTrue();
        }
        sender.get(60, TimeUnit.SECONDS);
      }
      vertx.close().await();
      memory.assertBoundedAndEmpty();
    }
  }

  @Test
  void aClientThatReadsNothingIsClosed() throws Exception {
    try (Memory memory = new Memory()) {
      Vertx vertx = Vertx.vertx();
      WriteGate gate =
          new WriteGate(
              WriteGateOptions.within(Memory.LIMIT_BYTES).withSlowPeer(1, Duration.ofMillis(100)));
      try (Socket client = connect(vertx, memory, gate)) {
        CompletableFuture<Void> sender = send(client);
        memory.await("a closing", () -> gate.slowClosings() == 1);
        assertThat(sender).failsWithin(Duration.ofSeconds(60));
      }
      vertx.close().await();
      memory.assertBoundedAndEmpty();
    }
  }

  /** To a server of its own. */
  private static Socket connect(Vertx vertx, Memory memory, WriteGate gate) throws IOException {
    NetServer server = VertxSockets.server(vertx, memory.allocator, gate);
    return SlowClient.connect(server.listen(0, "127.0.0.1").await().actualPort());
  }

  private CompletableFuture<Void> send(Socket client) {
    return CompletableFuture.runAsync(() -> {
      try {
        for (int sent = 0; sent < BYTES; sent += PIECE_BYTES) {
          client.getOutputStream().write(piece);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    });
  }
}
