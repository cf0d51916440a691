package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.streams.Stream;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A client of HTTP/2 that has sent all that its window allows, and takes the answer of another
 * stream as slowly as it likes: the update that lets its body go on is somewhere behind that.
 */
class UploadsBesideDownloadsTest {
  private static final int DOWNLOAD = 1;
  private static final int UPLOAD = 3;
  private static final int ACK = 1;

  /** A third of the time in which a KiB of a body has to come. */
  private static final Duration A_WHILE = Duration.ofSeconds(10);

  /** In how many whiles a body that makes no progress is noticed, be it a while after a look. */
  private static final int STEPS_TO_END = 5;

  private static final int STEPS = 30;
  private static final int STEP_BYTES = 1 << 10;
  private static final int EVERYTHING = 1 << 20;

  private final ByteArrayOutputStream received = new ByteArrayOutputStream();

  @TempDir Path directory;
  private EmbeddedNode node;
  private TricklingSocket channel;

  @BeforeEach
  void sendAllThatTheWindowAllows() throws Exception {
    node = new EmbeddedNode(directory);
    assertThat(node.services.limits().stallTimeout()).isEqualTo(A_WHILE.multipliedBy(3));
    node.create("up", "text/plain", "");
    node.create("down", "text/plain", "z".repeat(200_000));
    channel = node.connect(TricklingSocket::new);
    node.send(channel, Http2Wire.preface(1 << 20));
    node.send(channel, Http2Wire.openWindow(0, 1 << 20));
    node.send(channel, Http2Wire.get(DOWNLOAD, "/v1/stream/down"));
    node.send(channel, Http2Wire.post(UPLOAD, "/v1/stream/up", "text/plain"));
    node.run(channel);
    for (int sent = 0; sent < HttpLimits.CHUNK_BYTES; sent += 16 << 10) {
      send(16 << 10, /* last= */ false);
    }
  }

  @AfterEach
  void nothingIsLeft() throws IOException {
    channel.finishAndReleaseAll();
    // The download's next piece.
    node.run(channel);
    node.close();
  }

  private void send(int bytes, boolean last) {
    byte[] piece = new byte[bytes];
    Arrays.fill(piece, (byte) 'x');
    node.send(channel, Http2Wire.data(UPLOAD, piece, last));
    node.run(channel);
  }

  private void take(int bytes) {
    received.writeBytes(channel.take(bytes));
  }

  private void takeSlowly(int steps) {
    for (int i = 0; i < steps; i++) {
      take(STEP_BYTES);
      node.pass(channel, A_WHILE);
    }
  }

  /** All that there is at the moment; the frames that have come by then are whole. */
  private List<Http2Wire.Frame> takeAll() {
    take(EVERYTHING);
    return Http2Wire.frames(received.toByteArray());
  }

  private boolean isAnswered(String status) {
    take(EVERYTHING);
    // The status, three letters long.
    return received.toString(StandardCharsets.ISO_8859_1).contains("\u0003" + status);
  }

  private static long pings(List<Http2Wire.Frame> frames) {
    return frames.stream().filter(frame -> frame.type() == Http2FrameTypes.PING).count();
  }

  private void answerPing(List<Http2Wire.Frame> frames) {
    for (Http2Wire.Frame frame : frames) {
      if (frame.type() == Http2FrameTypes.PING) {
        node.send(channel, Http2Wire.frame(Http2FrameTypes.PING, ACK, 0, frame.payload()));
      }
    }
    node.run(channel);
  }

  @Test
  void readingTowardsTheWindowIsProgress() {
    takeSlowly(STEPS);
    List<Http2Wire.Frame> frames = takeAll();
    assertThat(frames)
        .anyMatch(
            frame -> frame.type() == Http2FrameTypes.WINDOW_UPDATE && frame.stream() == UPLOAD);
    assertThat(pings(frames)).isOne();
    answerPing(frames);
    send(1, /* last= */ true);
    // Whatever was given to the store before is done by then.
    node.create("another", "text/plain", "");
    Stream stream = node.store.find("up");
    assertThat(stream).isNotNull();
    assertThat(stream.state().tailOffset()).isEqualTo(HttpLimits.CHUNK_BYTES + 1);
  }

  /** It is as good as a window that is opened. */
  @Test
  void readingTowardsA100IsProgress() {
    int another = UPLOAD + 2;
    byte[] expectation = "\u0000\u0006expect\f100-continue".getBytes(StandardCharsets.US_ASCII);
    node.send(channel, Http2Wire.post(another, "/v1/stream/up", "text/plain", expectation));
    node.run(channel);
    takeSlowly(STEPS);
    assertThat(isAnswered("100")).isTrue();
    assertThat(isAnswered("408")).isFalse();
  }

  /** From when it has heard that it may send on, it has as long as any. */
  @Test
  void readingOnFromThereIsNot() {
    takeSlowly(STEPS);
    node.pass(channel, A_WHILE);
    node.pass(channel, A_WHILE);
    answerPing(takeAll());
    takeSlowly(2);
    assertThat(isAnswered("408")).isFalse();
    takeSlowly(STEPS_TO_END);
    assertThat(isAnswered("408")).isTrue();
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void answersThatNobodyAskedForAreNot() {
    takeSlowly(STEPS);
    List<Http2Wire.Frame> frames = takeAll();
    for (int i = 0; i < STEPS_TO_END; i++) {
      answerPing(frames);
      takeSlowly(1);
    }
    assertThat(isAnswered("408")).isTrue();
  }

  /** The connection's window is open to the one body as to the other. */
  @Test
  void oneThatSendsAnotherBodyAwaitsNothing() {
    node.send(channel, Http2Wire.post(UPLOAD + 2, "/v1/stream/up", "text/plain"));
    node.run(channel);
    for (int i = 0; i < 2 * STEPS_TO_END; i++) {
      for (int sent = 0; sent < 1 << 20; sent += 16 << 10) {
        send(16 << 10, /* last= */ false);
      }
      answerPing(takeAll());
      node.pass(channel, A_WHILE);
    }
    assertThat(takeAll())
        .filteredOn(frame -> frame.type() == Http2FrameTypes.HEADERS)
        .filteredOn(frame -> holds(frame.payload(), "\u0003408"))
        .extracting(Http2Wire.Frame::stream)
        .containsExactly(UPLOAD + 2);
  }

  /** Whoever takes so much has read the ping. */
  @Test
  void oneThatNeverAnswersIsEnded() {
    node.send(channel, Http2Wire.openWindow(0, 1 << 30));
    takeSlowly(1);
    int stream = UPLOAD;
    for (long taken = 0; taken <= UnheardWindows.MOST_UNREAD_BYTES; taken += 200_000) {
      stream += 2;
      download(stream);
    }
    node.send(channel, Http2Wire.get(stream + 2, "/v1/stream/down"));
    node.run(channel);
    takeSlowly(STEPS_TO_END);
    assertThat(isAnswered("408")).isTrue();
  }

  private void download(int stream) {
    node.send(channel, Http2Wire.get(stream, "/v1/stream/down"));
    int taken = 0;
    for (int pieces = 0; taken <= 200_000; pieces++) {
      assertThat(pieces).as("pieces of 200,000 bytes").isLessThan(100);
      node.run(channel);
      taken += channel.take(EVERYTHING).length;
    }
  }

  private static boolean holds(byte[] payload, String text) {
    return new String(payload, StandardCharsets.ISO_8859_1).contains(text);
  }

  @Test
  void oneThatReadsNothingIsEnded() {
    for (int i = 0; i < STEPS_TO_END; i++) {
      node.pass(channel, A_WHILE);
    }
    assertThat(isAnswered("408")).isTrue();
  }
}
