package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http2.Http2FrameTypes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** No client fills the Java heap of a node, which would end it: one of 64 MiB, as launched. */
@Timeout(300)
class SmallHeapTest {
  private static final int CONNECTIONS = 100;
  private static final int BYTES_OF_EACH = 2 << 20;
  private static final byte[] HTTP2_PREFACE = ascii("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  private static final byte[] GET_BLOCK = {(byte) 0x82, (byte) 0x86, (byte) 0x84, 0x41, 1, 'x'};
  private static final int END_STREAM_AND_HEADERS = 5;
  private static final String UPLOAD = "POST /v1/stream/a HTTP/1.1\r\nHost: localhost\r\n";

  @TempDir static Path data;

  private static NodeProcess node;
  private static HttpClient http;

  @BeforeAll
  static void start() throws Exception {
    node = NodeProcess.withSmallHeap(data);
    http = HttpClient.newHttpClient();
    assertThat(status("PUT", "/v1/stream/a", "application/json")).isEqualTo(201);
  }

  @AfterAll
  static void stop() {
    http.close();
    node.close();
  }

  /** What a client sends first, and then again and again. */
  private enum Attack {
    A_HEADER_WITHOUT_END(ascii("GET / HTTP/1.1\r\nX: "), ascii("x".repeat(1000))),
    HEADERS_WITHOUT_END(ascii("GET / HTTP/1.1\r\n"), ascii("A: b\r\n".repeat(200))),
    A_REQUEST_LINE_WITHOUT_END(ascii("GET /"), ascii("x".repeat(1000))),
    AN_EXTENSION_OF_A_CHUNK_WITHOUT_END(
        ascii(UPLOAD + "Transfer-Encoding: chunked\r\n\r\n1;"), ascii("x".repeat(1000))),
    TRAILERS_WITHOUT_END(
        ascii(UPLOAD + "Transfer-Encoding: chunked\r\n\r\n0\r\n"), ascii("A: b\r\n".repeat(200))),
    CHUNKS_OF_ONE_BYTE(
        ascii(UPLOAD + "Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"),
        ascii("1\r\nx\r\n".repeat(200))),
    BRACKETS(
        ascii(UPLOAD + "Content-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n"),
        ascii("[".repeat(1000))),
    REQUESTS_WHOSE_ANSWERS_NOBODY_READS(
        ascii(""), ascii("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(30))),
    PINGS(preface(), repeat(100, Http2Client.frame(Http2FrameTypes.PING, 0, 0, new byte[8]))),
    EMPTY_SETTINGS(
        preface(), repeat(100, Http2Client.frame(Http2FrameTypes.SETTINGS, 0, 0, new byte[0]))),
    HEADERS_OF_HTTP2_WITHOUT_END(
        join(preface(), Http2Client.frame(Http2FrameTypes.HEADERS, 0, 1, GET_BLOCK)),
        Http2Client.frame(Http2FrameTypes.CONTINUATION, 0, 1, literal(1000))),
    STREAMS_THAT_ARE_RESET(preface(), new byte[0]) {
      @Override
      byte[] again(int round) {
        int stream = 2 * round + 1;
        byte[] reset = ByteBuffer.allocate(4).putInt(8).array();
        return join(
            Http2Client.frame(Http2FrameTypes.HEADERS, END_STREAM_AND_HEADERS, stream, GET_BLOCK),
            Http2Client.frame(Http2FrameTypes.RST_STREAM, 0, stream, reset));
      }
    },
    STREAMS_WHOSE_ANSWERS_NOBODY_READS(preface(), new byte[0]) {
      @Override
      byte[] again(int round) {
        return Http2Client.frame(
            Http2FrameTypes.HEADERS, END_STREAM_AND_HEADERS, 2 * round + 1, GET_BLOCK);
      }
    };

    private final byte[] first;
    private final byte[] again;

    Attack(byte[] first, byte[] again) {
      this.first = first;
      this.again = again;
    }

    /** What comes in a round, from 0. */
    byte[] again(int round) {
      return again;
    }
  }

  @ParameterizedTest
  @EnumSource
  void noSequenceOfRequestsFillsIt(Attack attack) throws Exception {
    CountDownLatch sent = new CountDownLatch(CONNECTIONS);
    CountDownLatch seen = new CountDownLatch(1);
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        running.add(
            clients.submit(() -> {
              try (Socket client = new Socket(node.address().getAddress(), node.port)) {
                send(client, attack);
                sent.countDown();
                seen.await();
              }
              return null;
            }));
      }
      // Those that are not read from do not come to their end.
      boolean all = sent.await(3, TimeUnit.SECONDS);
      assertThat(node.process.isAlive()).as("alive; all sent: " + all).isTrue();
      seen.countDown();
      for (Future<?> client : running) {
        client.cancel(/* mayInterruptIfRunning= */ true);
      }
    }
    assertThat(status("GET", "/v1/stream/a", "application/json")).isEqualTo(200);
    assertThat(node.process.isAlive()).isTrue();
  }

  private static void send(Socket client, Attack attack) {
    try {
      OutputStream out = client.getOutputStream();
      out.write(attack.first);
      int sent = 0;
      for (int round = 0; sent < BYTES_OF_EACH; round++) {
        byte[] bytes = attack.again(round);
        out.write(bytes);
        sent += bytes.length;
      }
    } catch (IOException cutOff) {
      // As the node may.
    }
  }

  private static int status(String method, String path, String contentType) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(node.uri(path))
            .header("Content-Type", contentType)
            .method(method, HttpRequest.BodyPublishers.noBody())
            .build();
    HttpResponse<InputStream> response =
        http.send(request, HttpResponse.BodyHandlers.ofInputStream());
    response.body().close();
    return response.statusCode();
  }

  private static byte[] preface() {
    return join(HTTP2_PREFACE, Http2Client.frame(Http2FrameTypes.SETTINGS, 0, 0, new byte[0]));
  }

  /** A header field that is not in the table, with a value of so many bytes at most. */
  private static byte[] literal(int bytes) {
    byte[] name = {0, 1, 'a', 100};
    return join(name, ascii("x".repeat(Math.min(bytes, 100))));
  }

  private static byte[] repeat(int times, byte[] bytes) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int i = 0; i < times; i++) {
      all.writeBytes(bytes);
    }
    return all.toByteArray();
  }

  private static byte[] join(byte[] first, byte[] second) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.writeBytes(first);
    all.writeBytes(second);
    return all.toByteArray();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
