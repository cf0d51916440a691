package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.streams.AppendRequest;
import dev.weir.streams.CreateRequest;
import dev.weir.streams.Payload;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A client may take its answer as slowly as it likes, be it over a socket or by its windows; one
 * that takes nothing is not waited for.
 */
class SlowReadersTest {
  private static final String PATH = "/v1/stream/a";

  /** A third of the time in which a byte has to move. */
  private static final Duration A_WHILE = Duration.ofSeconds(10);

  /** Takes less than one piece of an answer, in many times that time. */
  private static final int STEPS = 30;

  private static final int STEP_BYTES = 1 << 10;

  @TempDir Path directory;
  private EmbeddedNode node;

  @BeforeEach
  void open() throws IOException {
    node = new EmbeddedNode(directory);
    assertThat(node.services.limits().stallTimeout()).isEqualTo(A_WHILE.multipliedBy(3));
    node.store.create(CreateRequest.of("a", "text/plain"), new Payload.None()).join();
    for (int i = 0; i < 4; i++) {
      ByteBuffer content = ByteBuffer.wrap("z".repeat(50_000).getBytes(StandardCharsets.US_ASCII));
      node.store
          .append(
              new AppendRequest("a", "text/plain", false, null, null),
              new Payload.Inline(content, () -> {}))
          .join();
    }
  }

  @AfterEach
  void nothingIsLeft() throws IOException {
    node.close();
  }

  private double metric(String name) {
    return node.services
        .metrics()
        .scrape()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .sum();
  }

  /** Takes nothing for so long that it is noticed, be it a while after the last look. */
  private void stop(EmbeddedChannel channel) {
    for (int i = 0; i < 5; i++) {
      node.pass(channel, A_WHILE);
    }
  }

  @Test
  void overASocket() throws Exception {
    TricklingSocket channel = node.connect(TricklingSocket::new);
    node.send(channel, ("GET " + PATH + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes());
    node.run(channel);
    for (int i = 0; i < STEPS; i++) {
      node.pass(channel, A_WHILE);
      assertThat(channel.take(STEP_BYTES)).hasSize(STEP_BYTES);
    }
    assertThat(channel.isOpen()).isTrue();
    stop(channel);
    assertThat(channel.isOpen()).isFalse();
    assertThat(metric("weir_http_failed_connections_total{reason=\"stalled\"}")).isOne();
    channel.finishAndReleaseAll();
  }

  private static int dataBytes(List<Http2Wire.Frame> frames, int stream) {
    return frames.stream()
        .filter(frame -> frame.type() == Http2FrameTypes.DATA && frame.stream() == stream)
        .mapToInt(frame -> frame.payload().length)
        .sum();
  }

  private static boolean isCancelled(List<Http2Wire.Frame> frames, int stream) {
    return frames.stream()
        .filter(frame -> frame.type() == Http2FrameTypes.RST_STREAM && frame.stream() == stream)
        .anyMatch(
            frame -> ByteBuffer.wrap(frame.payload()).getInt() == (int) Http2Error.CANCEL.code());
  }

  private static boolean isReset(List<Http2Wire.Frame> frames) {
    return frames.stream().anyMatch(frame -> frame.type() == Http2FrameTypes.RST_STREAM);
  }

  /** Gets a window of the answer, and waits. */
  private EmbeddedChannel takeOneStep() throws Exception {
    EmbeddedChannel channel = node.connect();
    node.send(channel, Http2Wire.preface(STEP_BYTES));
    node.send(channel, Http2Wire.get(1, PATH));
    node.run(channel);
    assertThat(dataBytes(Http2Wire.frames(EmbeddedNode.received(channel)), 1))
        .isEqualTo(STEP_BYTES);
    return channel;
  }

  /** Of which the rest cannot be sent any more (RFC 9113, 5.4.2). */
  @Test
  void noResetAnswersOneInTheMiddleOfAnAnswer() throws Exception {
    EmbeddedChannel channel = takeOneStep();
    byte[] cancel = ByteBuffer.allocate(4).putInt((int) Http2Error.CANCEL.code()).array();
    node.send(channel, Http2Wire.frame(Http2FrameTypes.RST_STREAM, 0, 1, cancel));
    node.run(channel);
    assertThat(isReset(Http2Wire.frames(EmbeddedNode.received(channel)))).isFalse();
    assertThat(channel.isOpen()).isTrue();
    node.send(channel, Http2Wire.get(3, PATH));
    node.run(channel);
    List<Http2Wire.Frame> next = Http2Wire.frames(EmbeddedNode.received(channel));
    assertThat(dataBytes(next, 3)).as("the connection goes on").isEqualTo(STEP_BYTES);
    assertThat(isReset(next)).isFalse();
    channel.finishAndReleaseAll();
  }

  @Test
  void byTheWindowOfItsStream() throws Exception {
    EmbeddedChannel channel = takeOneStep();
    for (int i = 0; i < STEPS; i++) {
      node.pass(channel, A_WHILE);
      node.send(channel, Http2Wire.openWindow(1, STEP_BYTES));
      node.run(channel);
      List<Http2Wire.Frame> frames = Http2Wire.frames(EmbeddedNode.received(channel));
      assertThat(dataBytes(frames, 1)).isEqualTo(STEP_BYTES);
      assertThat(isReset(frames)).isFalse();
    }
    stop(channel);
    assertThat(isCancelled(Http2Wire.frames(EmbeddedNode.received(channel)), 1)).isTrue();
    assertThat(metric("weir_http2_failed_streams_total{reason=\"stalled\"}")).isOne();
    channel.finishAndReleaseAll();
  }

  /** The one that has no window waits for its client, not for its turn. */
  @Test
  void byTheSocketOfAConnectionWithTwoStreams() throws Exception {
    TricklingSocket channel = node.connect(TricklingSocket::new);
    ByteArrayOutputStream received = new ByteArrayOutputStream();
    node.send(channel, Http2Wire.preface(0));
    node.send(channel, Http2Wire.openWindow(0, 1 << 20));
    node.send(channel, Http2Wire.get(1, PATH));
    node.send(channel, Http2Wire.get(3, PATH));
    node.send(channel, Http2Wire.openWindow(3, 1 << 20));
    node.run(channel);
    for (int i = 0; i < STEPS; i++) {
      node.pass(channel, A_WHILE);
      received.writeBytes(channel.take(STEP_BYTES));
    }
    assertThat(channel.isOpen()).isTrue();
    assertThat(metric("weir_http2_open_streams")).as("the one that moves").isOne();
    stop(channel);
    assertThat(metric("weir_http2_open_streams")).isZero();
    assertThat(metric("weir_http2_failed_streams_total{reason=\"stalled\"}")).isEqualTo(2);
    received.writeBytes(channel.take(1 << 20));
    List<Http2Wire.Frame> frames = Http2Wire.frames(received.toByteArray());
    assertThat(dataBytes(frames, 1)).isZero();
    assertThat(dataBytes(frames, 3)).isGreaterThan(STEPS / 2 * STEP_BYTES);
    assertThat(isCancelled(frames, 1)).isTrue();
    assertThat(isCancelled(frames, 3)).isTrue();
    channel.finishAndReleaseAll();
  }
}
