package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.streams.CreateRequest;
import dev.weir.streams.Payload;
import dev.weir.streams.Stream;
import dev.weir.streams.StreamConfig;
import dev.weir.streams.protocol.Offset;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A fork is made from the stream that its point and its body were judged by, or from none. */
class ForkSourceTest {
  @TempDir Path directory;
  private EmbeddedNode node;
  private EmbeddedChannel channel;

  @BeforeEach
  void open() throws Exception {
    node = new EmbeddedNode(directory);
    channel = node.connect();
  }

  @AfterEach
  void nothingIsLeft() throws IOException {
    channel.finishAndReleaseAll();
    node.close();
  }

  private void create(String contentType, String text) {
    node.create("a", contentType, text);
  }

  /** Asks for a fork of "a"; its point is an I/O thread's next task. */
  private void fork(String headers, String body) {
    fork("fork", headers, body);
  }

  private void fork(String name, String headers, String body) {
    String request =
        "PUT /v1/stream/"
            + name
            + " HTTP/1.1\r\nHost: localhost\r\nStream-Forked-From: /v1/stream/a\r\n"
            + headers
            + "Content-Length: "
            + body.length()
            + "\r\n\r\n"
            + body;
    node.send(channel, request.getBytes(StandardCharsets.US_ASCII));
    channel.runPendingTasks();
  }

  private static String at(long offset) {
    return "Stream-Fork-Offset: " + Offset.format(offset) + "\r\n";
  }

  private void search() {
    node.io.remove().run();
  }

  private String answer() {
    return EmbeddedNode.answer(channel);
  }

  private void assertNoSource() {
    assertThat(answer()).startsWith("HTTP/1.1 404").contains("source stream a ", "ask again");
    assertThat(node.store.find("fork")).isNull();
  }

  private void assertForkedAt(long offset) {
    assertThat(answer()).startsWith("HTTP/1.1 201").contains(Offset.format(offset));
    Stream fork = node.store.find("fork");
    assertThat(fork).isNotNull();
    assertThat(fork.state().tailOffset()).isEqualTo(offset);
  }

  /** Were the source read from its beginning, the lost segment would be missed. */
  @Test
  void aSourceIsReadFromTheFlushThatHasThePoint() throws IOException {
    create("application/json", "1,22,");
    node.store.flush().join();
    Path first = segments().getFirst();
    node.append("a", "application/json", "333,");
    node.append("a", "application/json", "4444,");
    node.store.flush().join();
    Files.delete(first);
    fork(at(9), "");
    search();
    search();
    assertForkedAt(9);
  }

  private List<Path> segments() throws IOException {
    try (java.util.stream.Stream<Path> files = Files.walk(directory.resolve("objects/seg"))) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  @Test
  void aSourceThatComesBehindTheSearchIsForkedWhenAskedAgain() {
    fork("", "");
    search();
    create("text/plain", "hello");
    assertNoSource();
    fork("", "");
    search();
    assertForkedAt(5);
  }

  @Test
  void anOffsetIsNotOneOfASourceThatComesBehindTheSearch() {
    fork(at(3), "");
    search();
    create("application/json", "1,22,");
    assertNoSource();
  }

  @Test
  void aPointIsNotOneOfTheStreamThatTakesTheSourcesPlace() {
    create("text/plain", "hello");
    fork(at(2) + "Stream-Fork-Sub-Offset: 1\r\n", "");
    search();
    node.store.delete("a").join();
    create("text/plain", "other bytes");
    assertNoSource();
  }

  @Test
  void aBodyOfUnknownTypeIsNotAppendedToASourceThatComesBehindIt() {
    fork("", "[1,2]");
    create("application/json", "0,");
    search();
    assertNoSource();
    fork("", "[1,2]");
    search();
    assertForkedAt(2 + "1,2,".length());
  }

  @Test
  void aSourceThatGoesBehindTheSearchIsMissing() {
    create("text/plain", "hello");
    fork("", "");
    search();
    node.store.delete("a").join();
    assertThat(answer()).startsWith("HTTP/1.1 404").contains("no source stream a");
  }

  @Test
  void aSourceThatIsKeptForItsForksIsNotForked() {
    create("text/plain", "hello");
    fork("", "");
    search();
    assertForkedAt(5);
    node.store.delete("a").join();
    fork("other", "", "");
    search();
    assertThat(answer()).startsWith("HTTP/1.1 409").contains("was deleted");
  }

  /** As by a client that has not heard of the first. */
  @Test
  void aForkThatIsAskedForAgainIsThereAlthoughItsSourceIsNot() {
    create("text/plain", "hello");
    fork(at(2), "");
    search();
    assertForkedAt(2);
    node.store.delete("a").join();
    fork(at(2), "");
    search();
    assertThat(answer()).startsWith("HTTP/1.1 200").contains(Offset.format(2));
    fork(at(3), "");
    search();
    assertThat(answer()).startsWith("HTTP/1.1 409").contains("was deleted");
  }

  /** Its body is long, so that its head is judged before that is taken. */
  @Test
  void aForkThatIsAskedForAgainIsThereAlthoughItsSourcesTimeIsOver() {
    CreateRequest source =
        new CreateRequest("a", "text/plain", 1, null, StreamConfig.NONE, /* closed= */ false, null);
    ByteBuffer bytes = ByteBuffer.wrap("hello".getBytes(StandardCharsets.US_ASCII));
    node.store.create(source, new Payload.Inline(bytes, () -> {})).join();
    fork(at(2) + "Stream-TTL: 3600\r\n", "");
    search();
    assertForkedAt(2);
    node.nowMillis.addAndGet(2_000);
    assertThat(node.store.find("a")).isNull();
    String request =
        "PUT /v1/stream/fork HTTP/1.1\r\nHost: localhost\r\nStream-Forked-From: /v1/stream/a\r\n"
            + at(2)
            + "Stream-TTL: 3600\r\nExpect: 100-continue\r\nContent-Length: 300000\r\n\r\n";
    node.send(channel, request.getBytes(StandardCharsets.US_ASCII));
    channel.runPendingTasks();
    assertThat(answer()).startsWith("HTTP/1.1 100");
  }
}
