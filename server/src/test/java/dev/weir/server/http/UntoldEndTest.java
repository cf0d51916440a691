package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.server.console.Console;
import dev.weir.server.console.Frame;
import dev.weir.server.store.CreateRequest;
import dev.weir.server.store.Payload;
import dev.weir.server.store.StreamStore;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An exchange that fails while its event loop takes no task, not even that which would end it: the
 * loop's next look at its clients ends it.
 */
class UntoldEndTest {
  private static final String PATH = "/v1/stream/a";
  private static final int BODY_BYTES = StreamStore.MAX_INLINE_BYTES + 1;
  private static final int WINDOW_BYTES = 1 << 16;
  private static final int END_STREAM = 1;

  @TempDir Path directory;
  private EmbeddedNode node;
  private DeafChannel channel;

  @BeforeEach
  void open() throws Exception {
    node = new EmbeddedNode(directory);
    node.store.create(CreateRequest.of("a", "text/plain"), new Payload.None()).join();
    channel = node.connect(DeafChannel::new);
  }

  @AfterEach
  void nothingIsLeft() throws IOException {
    channel.finishAndReleaseAll();
    node.run(channel);
    node.close();
  }

  static List<String> refusals() {
    return List.of("no heap", "no place");
  }

  private static Throwable refusal(String of) {
    return UnreachableLoopTest.refusals()
        .filter(each -> each instanceof OutOfMemoryError == of.equals("no heap"))
        .findFirst()
        .orElseThrow();
  }

  /** I/O threads do what they have to do; nobody hears of it. */
  private void workUnheard(String refusal) {
    channel.refuse(refusal(refusal));
    try {
      for (Runnable task = node.io.poll(); task != null; task = node.io.poll()) {
        task.run();
      }
    } finally {
      channel.refuse(null);
    }
    assertThat(channel.refused()).as("also the task that would have ended it").isEqualTo(2);
    channel.runPendingTasks();
  }

  private void look() {
    node.pass(channel, node.services.limits().stallTimeout().dividedBy(4));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static String status(String refusal) {
    return refusal.equals("no heap") ? "503" : "500";
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void anUploadIsAnswered(String refusal) {
    String head = "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n".formatted(PATH);
    String body = "Content-Length: %d\r\n\r\n%s".formatted(2 * BODY_BYTES, "x".repeat(BODY_BYTES));
    node.send(channel, ascii(head + body));
    workUnheard(refusal);
    assertThat(EmbeddedNode.received(channel)).isEmpty();
    look();
    assertThat(new String(EmbeddedNode.received(channel), StandardCharsets.US_ASCII))
        .startsWith("HTTP/1.1 " + status(refusal));
    node.pass(channel, HttpLimits.LINGER);
    assertThat(channel.isOpen()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void anUploadOnAStreamIsAnswered(String refusal) {
    beginUploadOnAStream();
    workUnheard(refusal);
    assertThat(frames(1)).isEmpty();
    look();
    List<Http2Wire.Frame> answer = frames(1);
    assertThat(answer).hasSizeGreaterThanOrEqualTo(2);
    assertThat(answer.getFirst().type()).isEqualTo(Http2FrameTypes.HEADERS);
    assertThat(answer.get(1).type()).isEqualTo(Http2FrameTypes.DATA);
    assertThat(answer.get(1).flags() & END_STREAM).isEqualTo(END_STREAM);
    assertThat(new String(answer.get(1).payload(), StandardCharsets.US_ASCII))
        .contains(refusal.equals("no heap") ? "no memory" : "failed");
    assertThat(channel.isOpen()).as("the connection").isTrue();
    assertThat(node.services.metrics().scrape()).contains("weir_http2_open_streams 0.0");
  }

  private void beginUploadOnAStream() {
    node.send(channel, Http2Wire.preface(WINDOW_BYTES));
    node.send(channel, Http2Wire.post(1, PATH, "text/plain"));
    for (int sent = 0; sent < BODY_BYTES; sent += 1 << 14) {
      node.send(channel, Http2Wire.data(1, new byte[1 << 14], /* last= */ false));
    }
    EmbeddedNode.received(channel);
  }

  private List<Http2Wire.Frame> frames(int stream) {
    return Http2Wire.frames(EmbeddedNode.received(channel)).stream()
        .filter(frame -> frame.stream() == stream)
        .toList();
  }

  /** Its end takes a timer. */
  @ParameterizedTest
  @MethodSource("refusals")
  void aStreamThatTheFirstLookCannotEndIsResetByALaterOne(String refusal) {
    beginUploadOnAStream();
    workUnheard(refusal);
    channel.refuse(refusal(refusal));
    look();
    channel.refuse(null);
    assertThat(channel.refused()).as("tasks, a timer among them").isGreaterThan(2);
    assertThat(node.services.metrics().scrape()).contains("weir_http2_open_streams 1.0");
    for (int i = 0; i < 6; i++) {
      look();
    }
    assertThat(frames(1))
        .extracting(Http2Wire.Frame::type)
        .contains((int) Http2FrameTypes.RST_STREAM);
    assertThat(node.services.metrics().scrape()).contains("weir_http2_open_streams 0.0");
    assertThat(channel.isOpen()).as("the connection").isTrue();
  }

  /** It would wait for the next view, and none comes to a loop that takes no task. */
  @Test
  void aWatcherOfTheConsoleIsGivenUp() {
    HttpRequest get = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/");
    UnreachableLoop loop =
        new UnreachableLoop(/* refusal= */ null, UnpooledByteBufAllocator.DEFAULT, get);
    try (Pool pool = Pool.create(PoolOptions.withLimit(4 << 20));
        Console console = UnreachableLoopTest.console(pool)) {
      ConsoleEvents events = new ConsoleEvents(console, node.services.limits());
      Frame frame = console.frame().join();
      events.start(loop.exchange());
      console.history().join();
      loop.refused.forEach(Runnable::run);
      Throwable refusal = refusal("no place");
      loop.refuse(refusal);
      ByteBuf view = frame.event();
      int before = view.refCnt();
      events.show(frame);
      loop.refused.getLast().run();
      assertThat(loop.aborted).containsExactly(refusal);
      view.release();
      assertThat(view.refCnt()).as("the view that waited").isEqualTo(before - 1);
      events.close();
      frame.release();
    }
  }
}
