package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.streams.CreateRequest;
import dev.weir.streams.Payload;
import dev.weir.streams.StreamStore;
import dev.weir.streams.protocol.Offset;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A body that is whole is given back wherever its request fails then, and its client is told. */
class LostPayloadTest {
  private static final String HEAD =
      "%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n%s\r\n";
  private static final String SOURCE = "/v1/stream/a";
  private static final String FORKED = "Stream-Forked-From: " + SOURCE + "\r\n";
  private static final String FORK = "PUT /v1/stream/fork";

  @TempDir Path directory;
  private EmbeddedNode node;

  @BeforeEach
  void open() throws IOException {
    node = new EmbeddedNode(directory);
    node.store.create(CreateRequest.of("a", "text/plain"), new Payload.None()).join();
  }

  @AfterEach
  void nothingIsLeft() throws IOException {
    node.close();
    try (Stream<Path> files = Files.walk(directory)) {
      assertThat(files.filter(file -> file.toString().endsWith(".bytes"))).isEmpty();
    }
  }

  private long stagedBytes() {
    return node.services.staging().usedBytes();
  }

  private void send(EmbeddedChannel channel, String request, String headers, int bodyBytes) {
    String head = HEAD.formatted(request, bodyBytes, headers);
    node.send(channel, (head + "x".repeat(bodyBytes)).getBytes(StandardCharsets.US_ASCII));
  }

  /** What the client gets, up to the end of the connection. */
  private String answer(EmbeddedChannel channel) {
    channel.runPendingTasks();
    node.pass(channel, HttpLimits.LINGER);
    return new String(EmbeddedNode.received(channel), StandardCharsets.US_ASCII);
  }

  /** Bodies are written. */
  private void refuseForks() {
    node.refused = task -> !(task instanceof BodySpool.Step);
    node.refusal = UnreachableLoopTest.REFUSAL;
  }

  private void assertToldAndEnded(EmbeddedChannel channel) {
    assertThat(stagedBytes()).isZero();
    assertThat(answer(channel)).startsWith("HTTP/1.1 500").contains("Connection: close");
    assertThat(channel.isOpen()).isFalse();
    channel.finishAndReleaseAll();
  }

  @Test
  void noThreadCanFindTheForksPoint() throws Exception {
    EmbeddedChannel channel = node.connect();
    refuseForks();
    send(channel, FORK, FORKED, 3);
    assertToldAndEnded(channel);
  }

  @Test
  void noThreadCanFindThePointOfAForkWhoseBodyIsInAFile() throws Exception {
    EmbeddedChannel channel = node.connect();
    refuseForks();
    send(channel, FORK, FORKED, StreamStore.MAX_INLINE_BYTES + 1);
    node.run(channel);
    assertToldAndEnded(channel);
  }

  @Test
  void noThreadCanWriteTheBodyToItsFile() throws Exception {
    EmbeddedChannel channel = node.connect();
    node.refused = task -> task instanceof BodySpool.Step;
    node.refusal = UnreachableLoopTest.REFUSAL;
    send(channel, "POST " + SOURCE, "", StreamStore.MAX_INLINE_BYTES + 1);
    assertThat(stagedBytes()).isZero();
    assertThat(answer(channel)).startsWith("HTTP/1.1 500");
    node.run(channel);
    channel.finishAndReleaseAll();
  }

  @Test
  void theForksPointLiesBehindItsSource() throws Exception {
    EmbeddedChannel channel = node.connect();
    String point = "Stream-Fork-Offset: %s\r\nStream-Fork-Sub-Offset: 9\r\n";
    send(channel, FORK, FORKED + point.formatted(Offset.format(0)), 3);
    assertThat(stagedBytes()).isPositive();
    node.run(channel);
    assertThat(stagedBytes()).isZero();
    assertThat(answer(channel)).startsWith("HTTP/1.1 400").contains("after the end of the source");
    channel.finishAndReleaseAll();
  }

  @Test
  void theClientGoesBeforeTheForksPointIsFound() throws Exception {
    EmbeddedChannel channel = node.connect();
    send(channel, FORK, FORKED, 3);
    assertThat(stagedBytes()).isPositive();
    channel.finishAndReleaseAll();
    assertThat(stagedBytes()).isZero();
    node.run(channel);
    assertThat(node.store.streamCount()).isOne();
  }

  @Test
  void theStoreIsClosed() throws Exception {
    EmbeddedChannel channel = node.connect();
    node.closeStore();
    send(channel, "POST " + SOURCE, "", 3);
    assertThat(stagedBytes()).isZero();
    assertThat(answer(channel)).startsWith("HTTP/1.1 503").contains("closed");
    channel.finishAndReleaseAll();
  }

  private static HttpRequest fork() {
    HttpRequest request =
        new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.PUT, "/v1/stream/fork");
    request.headers().set(Headers.FORKED_FROM, SOURCE);
    return request;
  }

  private CreateHandler begin(UnreachableLoop loop) {
    CreateHandler handler = new CreateHandler(node.services, "fork");
    handler.start(loop.exchange());
    handler.body(node.allocator.directBuffer(3).writeZero(3), /* last= */ true);
    assertThat(stagedBytes()).isPositive();
    return handler;
  }

  @Test
  void nobodyHearsOfTheForksPoint() {
    UnreachableLoop loop = new UnreachableLoop(UnreachableLoopTest.REFUSAL, node.allocator, fork());
    CreateHandler handler = begin(loop);
    node.io.remove().run();
    assertThat(loop.refused).as("the point, the failure").hasSize(2);
    handler.close();
    assertThat(stagedBytes()).isZero();
    assertThat(node.store.streamCount()).isOne();
  }

  @Test
  void theExchangeIsOverWhenTheForksPointIsHeardOf() {
    UnreachableLoop loop = new UnreachableLoop(/* refusal= */ null, node.allocator, fork());
    CreateHandler handler = begin(loop);
    node.io.remove().run();
    handler.close();
    assertThat(stagedBytes()).isZero();
    loop.refused.getFirst().run();
    assertThat(node.store.streamCount()).isOne();
  }
}
