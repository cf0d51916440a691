package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.netty.DisposableServer;

class ReactorNettyTest {
  private static final int PIECES = 1000;

  /** They ask for five times what the pool holds. */
  private static final int CLIENTS = 5;

  @Test
  void slowClientsHoldTheirQueuesOnly() throws Exception {
    try (Memory memory = new Memory()) {
      DisposableServer server = ReactorNetty.start(memory.allocator, PIECES);
      List<Socket> clients = new ArrayList<>();
      String request = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
      for (int i = 0; i < CLIENTS; i++) {
        Socket client = SlowClient.connect(server.port());
        client.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        clients.add(client);
      }
      memory.awaitAtLeast(CLIENTS * ReactorNetty.PIECE_BYTES);
      for (Socket client : clients) {
        assertThat(client.getInputStream().readAllBytes().length)
            .isGreaterThan(PIECES * ReactorNetty.PIECE_BYTES);
        client.close();
      }
      server.disposeNow();
      memory.assertBoundedAndEmpty();
    }
  }
}
