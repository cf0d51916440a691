package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PlainNettyTest {
  private static final int BODY_BYTES = 4 << 20;

  /** Three times what the pool holds. */
  private static final int CLIENTS = 12;

  @Test
  void bodiesTakeTheirTurnsAndComeBack() throws Exception {
    EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    try (Memory memory = new Memory();
        HttpClient http = HttpClient.newHttpClient()) {
      Channel server =
          PlainNetty.server(memory.allocator)
              .group(loops)
              .channel(NioServerSocketChannel.class)
              .bind(InetAddress.getLoopbackAddress(), 0)
              .sync()
              .channel();
      InetSocketAddress address = (InetSocketAddress) server.localAddress();
      try (Socket slow = new Socket(address.getAddress(), address.getPort())) {
        String head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n";
        slow.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
        slow.getOutputStream().write(new byte[500_000]);
        memory.awaitAtLeast(500_000);
      }
      byte[] body = new byte[BODY_BYTES];
      new Random(1).nextBytes(body);
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + address.getPort()))
              .version(HttpClient.Version.HTTP_1_1)
              .POST(HttpRequest.BodyPublishers.ofByteArray(body))
              .build();
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
}
