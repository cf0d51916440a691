package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.write.WriteGate;
import dev.weir.netty.write.WriteGateOptions;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PlainNettyTest {
  private static final int BODY_BYTES = 4 << 20;

  /** Four of them are most of the pool: there is no room for a fifth. */
  private static final int FOURTH_BYTES = 3_600_000;

  /** Three times what the pool holds. */
  private static final int CLIENTS = 12;

  @Test
  void bodiesTakeTheirTurnsAndComeBack() throws Exception {
    EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    try (Memory memory = new Memory();
        HttpClient http = HttpClient.newHttpClient()) {
      WriteGate gate = new WriteGate(WriteGateOptions.within(Memory.LIMIT_BYTES));
      Channel server = start(loops, memory, gate);
      InetSocketAddress address = (InetSocketAddress) server.localAddress();
      try (Socket slow = new Socket(address.getAddress(), address.getPort())) {
        slow.getOutputStream().write(head(1_000_000));
        slow.getOutputStream().write(new byte[500_000]);
        memory.awaitAtLeast(500_000);
      }
      byte[] body = new byte[BODY_BYTES];
      new Random(1).nextBytes(body);
      HttpRequest request = post(address.getPort(), body);
      List<CompletableFuture<HttpResponse<byte[]>>> answers =
          IntStream.range(0, CLIENTS)
              .mapToObj(i -> http.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray()))
              .toList();
      for (CompletableFuture<HttpResponse<byte[]>> answer : answers) {
        assertThat(answer.get().statusCode()).isEqualTo(200);
        assertThat(answer.get().body()).isEqualTo(body);
      }
      server.close().sync();
      memory.assertBoundedAndEmpty();
    } finally {
      loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
  }

  @Test
  void clientsThatReadNothingKeepTheirMemoryFromNobodyForLong() throws Exception {
    EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    try (Memory memory = new Memory();
        HttpClient http = HttpClient.newHttpClient()) {
      WriteGate gate =
          new WriteGate(
              WriteGateOptions.within(Memory.LIMIT_BYTES).withSlowPeer(1, Duration.ofSeconds(2)));
      Channel server = start(loops, memory, gate);
      int port = ((InetSocketAddress) server.localAddress()).getPort();
      byte[] body = new byte[FOURTH_BYTES];
      List<Socket> clients = new ArrayList<>();
      try {
        for (int i = 0; i < 4; i++) {
          Socket client = SlowClient.connect(port);
          clients.add(client);
          client.getOutputStream().write(head(FOURTH_BYTES));
          client.getOutputStream().write(body);
        }
        HttpResponse<byte[]> answer =
            http.send(post(port, body), HttpResponse.BodyHandlers.ofByteArray());
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo(body);
        memory.await("all others closed", () -> gate.slowClosings() == clients.size());
      } finally {
        for (Socket client : clients) {
          client.close();
        }
      }
      server.close().sync();
      memory.assertBoundedAndEmpty();
    } finally {
      loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
  }

  private static Channel start(EventLoopGroup loops, Memory memory, WriteGate gate)
      throws InterruptedException {
    return PlainNetty.server(memory.allocator, gate)
        .group(loops)
        .channel(NioServerSocketChannel.class)
        .bind(InetAddress.getLoopbackAddress(), 0)
        .sync()
        .channel();
  }

  private static byte[] head(int bodyBytes) {
    return "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"
        .formatted(bodyBytes)
        .getBytes(StandardCharsets.US_ASCII);
  }

  private static HttpRequest post(int port, byte[] body) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port))
        .version(HttpClient.Version.HTTP_1_1)
        .POST(HttpRequest.BodyPublishers.ofByteArray(body))
        .build();
  }
}
