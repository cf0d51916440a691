package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.flow.PoolHeadroom;
import dev.weir.netty.flow.ReadGate;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import reactor.netty.DisposableServer;

class ReactorNettyTest {
  private static final int BODY_BYTES = 1 << 20;

  /** Their bodies are more than the pool holds. */
  private static final int CLIENTS = 20;

  private final byte[] body = new byte[BODY_BYTES];

  @Test
  void bodiesThatDoNotFitTogetherWaitWithTheirSenders() throws Exception {
    new Random(1).nextBytes(body);
    try (Memory memory = new Memory();
        ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      // Room for the rest of a few bodies: one after the other may go on while memory is short.
      PoolHeadroom headroom =
          new PoolHeadroom(
              memory.allocator.pool(), 8 * BODY_BYTES, 9 * BODY_BYTES, Duration.ofMillis(200));
      ReadGate gate = new ReadGate(headroom);
      DisposableServer server = ReactorNetty.start(memory.allocator, gate);
      CountDownLatch stopped = new CountDownLatch(1);
      List<Future<byte[]>> answers = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        answers.add(clients.submit(() -> echo(server.port(), stopped)));
      }
      // No body is whole before that, so all that was sent is held.
      try {
        memory.await("a closed gate", () -> gate.closings() > 0);
      } finally {
        stopped.countDown();
      }
      for (Future<byte[]> answer : answers) {
        byte[] bytes = answer.get();
        assertThat(new String(bytes, 0, 15, StandardCharsets.US_ASCII))
            .isEqualTo("HTTP/1.1 200 OK");
        byte[] back = Arrays.copyOfRange(bytes, bytes.length - BODY_BYTES, bytes.length);
        assertThat(Arrays.equals(back, body)).isTrue();
      }
      server.disposeNow();
      memory.assertBoundedAndEmpty();
    }
  }

  /** Sends the body, its last byte once {@code stopped} is zero, and reads the answer. */
  private byte[] echo(int port, CountDownLatch stopped) throws IOException, InterruptedException {
    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
      client.setSoTimeout(60_000);
      OutputStream output = client.getOutputStream();
      String head =
          "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
              .formatted(BODY_BYTES);
      output.write(head.getBytes(StandardCharsets.US_ASCII));
      output.write(body, 0, BODY_BYTES - 1);
      stopped.await();
      output.write(body, BODY_BYTES - 1, 1);
      return client.getInputStream().readAllBytes();
    }
  }
}
