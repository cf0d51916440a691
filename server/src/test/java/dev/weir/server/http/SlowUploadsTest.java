package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.streams.Stream;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A body may take as long as it likes while 1 KiB of it comes in each limit; one of which less
 * comes is ended, and the time that the node itself takes is nobody's.
 */
class SlowUploadsTest {
  private static final String PATH = "/v1/stream/a";

  /** A third of the time in which a KiB has to come. */
  private static final Duration A_WHILE = Duration.ofSeconds(10);

  /** Enough in two whiles. */
  private static final int ENOUGH_BYTES = 512;

  /** In how many whiles a body that makes no progress is noticed, be it a while after a look. */
  private static final int STEPS_TO_END = 5;

  private static final int STEPS = 30;

  @TempDir Path directory;
  private EmbeddedNode node;

  @BeforeEach
  void open() throws IOException {
    node = new EmbeddedNode(directory);
    assertThat(node.services.limits().stallTimeout()).isEqualTo(A_WHILE.multipliedBy(3));
    node.create("a", "text/plain", "");
  }

  @AfterEach
  void nothingIsLeft() throws IOException {
    node.close();
  }

  /** How a body comes. */
  private enum Way {
    /** Over HTTP/1.1, kept in memory. */
    OF_KNOWN_LENGTH,
    /** Over HTTP/1.1, kept in a file. */
    LONG,
    CHUNKED,
    HTTP_2;

    private byte[] head(int bodyBytes) {
      String framing =
          this == CHUNKED ? "Transfer-Encoding: chunked" : "Content-Length: " + bodyBytes;
      return bytes(
          "POST "
              + PATH
              + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
              + framing
              + "\r\n\r\n");
    }

    private byte[] piece(String text, boolean last) {
      return switch (this) {
        case OF_KNOWN_LENGTH, LONG -> bytes(text);
        case CHUNKED ->
            bytes(
                Integer.toHexString(text.length())
                    + "\r\n"
                    + text
                    + "\r\n"
                    + (last ? "0\r\n\r\n" : ""));
        case HTTP_2 -> Http2Wire.data(1, bytes(text), last);
      };
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private EmbeddedChannel begin(Way way, int bodyBytes) throws Exception {
    EmbeddedChannel channel = node.connect();
    if (way == Way.HTTP_2) {
      node.send(channel, Http2Wire.preface(1 << 20));
      node.send(channel, Http2Wire.post(1, PATH, "text/plain"));
    } else {
      node.send(channel, way.head(bodyBytes));
    }
    node.run(channel);
    EmbeddedNode.received(channel);
    return channel;
  }

  private long tail() {
    Stream stream = node.store.find("a");
    return stream == null ? -1 : stream.state().tailOffset();
  }

  @ParameterizedTest
  @EnumSource
  void oneThatGoesOnMayTakeAsLongAsItLikes(Way way) throws Exception {
    int pieceBytes = way == Way.LONG ? 10_000 : ENOUGH_BYTES;
    EmbeddedChannel channel = begin(way, STEPS * pieceBytes);
    for (int i = 1; i <= STEPS; i++) {
      node.pass(channel, A_WHILE);
      EmbeddedNode.received(channel);
      node.send(channel, way.piece("x".repeat(pieceBytes), /* last= */ i == STEPS));
      node.run(channel);
    }
    String answer = EmbeddedNode.answer(channel);
    assertThat(tail()).as(answer).isEqualTo((long) STEPS * pieceBytes);
    channel.finishAndReleaseAll();
  }

  /** What comes to an end for a body of which a few bytes come now and then. */
  private String trickle(EmbeddedChannel channel, byte[] piece) {
    for (int i = 0; i < STEPS_TO_END && channel.isOpen(); i++) {
      node.send(channel, piece);
      node.run(channel);
      node.pass(channel, A_WHILE);
    }
    return new String(EmbeddedNode.received(channel), StandardCharsets.US_ASCII);
  }

  @ParameterizedTest
  @EnumSource
  void oneOfWhichNextToNothingComesIsEnded(Way way) throws Exception {
    EmbeddedChannel channel = begin(way, way == Way.LONG ? 1 << 20 : 1_000);
    assertThat(trickle(channel, way.piece("0123456789", /* last= */ false)))
        .contains("408", "less than 1024 bytes of the body came in 30000 ms");
    assertThat(tail()).isZero();
    assertThat(node.services.staging().usedBytes()).isZero();
    assertThat(node.allocator.pool().liveBlockBytes()).isZero();
    channel.finishAndReleaseAll();
    // What is to be deleted is by then.
    node.closeStore();
    try (java.util.stream.Stream<Path> files = Files.walk(directory)) {
      assertThat(files.filter(file -> file.toString().endsWith(".bytes"))).isEmpty();
    }
  }

  /** Nor is it taken while the answer still waits for the client's window. */
  @Test
  void theRestOfOneThatWasEndedIsNotTaken() throws Exception {
    EmbeddedChannel channel = node.connect();
    node.send(channel, Http2Wire.preface(0));
    node.send(channel, Http2Wire.post(1, PATH, "text/plain"));
    node.run(channel);
    assertThat(trickle(channel, Http2Wire.data(1, bytes("0123456789"), /* last= */ false)))
        .contains("\u0003408")
        .doesNotContain("less than");
    node.send(channel, Http2Wire.data(1, bytes("the rest"), /* last= */ true));
    node.run(channel);
    // Whatever was given to the store before is done by then.
    node.create("b", "text/plain", "");
    assertThat(tail()).isZero();
    node.send(channel, Http2Wire.openWindow(1, 1 << 10));
    node.run(channel);
    assertThat(new String(EmbeddedNode.received(channel), StandardCharsets.US_ASCII))
        .contains("less than 1024 bytes of the body came in 30000 ms");
    assertThat(tail()).isZero();
    assertThat(node.allocator.pool().liveBlockBytes()).isZero();
    channel.finishAndReleaseAll();
  }

  /** It neither counts nor begins the client's anew. */
  @Test
  void theTimeOfTheDiskIsNotTheClients() throws Exception {
    EmbeddedChannel channel = begin(Way.LONG, 1 << 20);
    node.pass(channel, A_WHILE.multipliedBy(2));
    node.send(channel, bytes("x"));
    assertThat(node.io).as("what is to be written").hasSize(1);
    channel.advanceTimeBy(1, TimeUnit.HOURS);
    channel.runPendingTasks();
    assertThat(EmbeddedNode.received(channel)).isEmpty();
    node.run(channel);
    node.pass(channel, Duration.ofSeconds(9));
    assertThat(EmbeddedNode.received(channel)).isEmpty();
    // Two seconds more are too much, and are noticed with the next look.
    node.pass(channel, A_WHILE);
    assertThat(new String(EmbeddedNode.received(channel), StandardCharsets.US_ASCII))
        .startsWith("HTTP/1.1 408 ");
    channel.finishAndReleaseAll();
  }

  /** What a client takes is no part of what it has to send. */
  @Test
  void theAnswersOfOtherStreamsAreNoProgress() throws Exception {
    node.create("b", "text/plain", "z".repeat(200_000));
    TricklingSocket channel = node.connect(TricklingSocket::new);
    node.send(channel, Http2Wire.preface(1 << 20));
    node.send(channel, Http2Wire.openWindow(0, 1 << 20));
    node.send(channel, Http2Wire.get(1, "/v1/stream/b"));
    node.send(channel, Http2Wire.post(3, PATH, "text/plain"));
    node.run(channel);
    for (int i = 0; i < STEPS_TO_END; i++) {
      channel.take(1 << 10);
      node.pass(channel, A_WHILE);
    }
    String rest = new String(channel.take(1 << 20), StandardCharsets.US_ASCII);
    assertThat(rest.contains("\u0003408")).as("the status, three letters long").isTrue();
    assertThat(channel.isOpen()).isTrue();
    channel.finishAndReleaseAll();
    // The download's next piece.
    node.run(channel);
  }

  /** It would hold its place as well. */
  @Test
  void theRestOfABodyThatNobodyWantsIsNotWaitedFor() throws Exception {
    EmbeddedChannel channel = node.connect();
    node.send(channel, bytes("GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"));
    node.run(channel);
    assertThat(new String(EmbeddedNode.received(channel), StandardCharsets.US_ASCII))
        .startsWith("HTTP/1.1 200 ");
    assertThat(trickle(channel, bytes("x"))).isEmpty();
    assertThat(channel.isOpen()).isFalse();
    channel.finishAndReleaseAll();
  }
}
