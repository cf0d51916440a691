package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.streams.AppendRequest;
import dev.weir.streams.CreateRequest;
import dev.weir.streams.Payload;
import dev.weir.streams.StreamStore;
import dev.weir.streams.protocol.Offset;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Finding where a fork begins may take reading all of its source: nobody else waits for that. */
class ForkSearchTest {
  private static final String MESSAGES = "1,".repeat(StreamStore.MAX_INLINE_BYTES / 2);
  private static final int APPENDS = 4;
  private static final long COUNT = (long) APPENDS * MESSAGES.length() / 2;

  /** What is read at once. */
  private static final long PIECES = 2 * COUNT / (64 << 10);

  @TempDir Path directory;
  private EmbeddedNode node;

  @BeforeEach
  void open() throws IOException {
    node = new EmbeddedNode(directory);
    node.store.create(CreateRequest.of("a", "application/json"), new Payload.None()).join();
    AppendRequest request = new AppendRequest("a", "application/json", false, null, null);
    for (int i = 0; i < APPENDS; i++) {
      ByteBuffer bytes = ByteBuffer.wrap(MESSAGES.getBytes(StandardCharsets.US_ASCII));
      node.store.append(request, new Payload.Inline(bytes, () -> {})).join();
    }
  }

  @AfterEach
  void nothingIsLeft() throws IOException {
    node.close();
  }

  private EmbeddedChannel fork(String path, long subOffset) throws Exception {
    EmbeddedChannel channel = node.connect();
    String request =
        """
        PUT /v1/stream/%s HTTP/1.1\r
        Host: localhost\r
        Content-Length: 0\r
        Stream-Forked-From: /v1/stream/a\r
        Stream-Fork-Offset: %s\r
        Stream-Fork-Sub-Offset: %d\r
        \r
        """
            .formatted(path, Offset.format(0), subOffset);
    node.send(channel, request.getBytes(StandardCharsets.US_ASCII));
    channel.runPendingTasks();
    return channel;
  }

  /** Lets an I/O thread do what is next. */
  private void runOne(EmbeddedChannel... channels) {
    node.io.remove().run();
    for (EmbeddedChannel channel : channels) {
      channel.runPendingTasks();
    }
  }

  private static String received(EmbeddedChannel channel) {
    return new String(EmbeddedNode.received(channel), StandardCharsets.US_ASCII);
  }

  private void assertCreated(String path, EmbeddedChannel channel, long bytes) {
    assertThat(EmbeddedNode.answer(channel))
        .startsWith("HTTP/1.1 201")
        .contains(Offset.format(bytes));
  }

  @Test
  void eachTaskReadsAPieceAndSearchesTakeTurns() throws Exception {
    EmbeddedChannel first = fork("first", COUNT - 1);
    EmbeddedChannel second = fork("second", 64 << 10);
    EmbeddedChannel third = fork("third", 1);
    for (int begun = 0; begun < 3; begun++) {
      runOne(first, second, third);
    }
    for (int turn = 0; turn < 3; turn++) {
      assertThat(node.store.find("third")).isNull();
      assertThat(node.io).as("whose turn it is").hasSize(1);
      runOne(first, second, third);
    }
    assertCreated("third", third, 2);
    runOne(first, second);
    assertThat(node.store.find("second")).isNull();
    runOne(first, second);
    assertCreated("second", second, 128 << 10);
    for (int piece = 2; piece < PIECES; piece++) {
      assertThat(node.store.find("first")).isNull();
      assertThat(node.io).as("the first goes on alone").hasSize(1);
      runOne(first);
    }
    assertThat(node.io).isEmpty();
    assertCreated("first", first, 2 * (COUNT - 1));
    first.finishAndReleaseAll();
    second.finishAndReleaseAll();
    third.finishAndReleaseAll();
  }

  @Test
  void aSearchEndsWithItsExchange() throws Exception {
    EmbeddedChannel gone = fork("gone", COUNT);
    EmbeddedChannel alsoGone = fork("also-gone", COUNT);
    EmbeddedChannel stays = fork("stays", 2);
    for (int i = 0; i < 4; i++) {
      runOne(gone, alsoGone, stays);
    }
    assertThat(node.io).as("of the second, while the others wait").hasSize(1);
    gone.finishAndReleaseAll();
    alsoGone.finishAndReleaseAll();
    runOne(stays);
    assertThat(node.io).as("of the one that stays").hasSize(1);
    runOne(stays);
    assertThat(node.io).isEmpty();
    assertCreated("stays", stays, 4);
    stays.finishAndReleaseAll();
    assertThat(node.store.streamCount()).isEqualTo(2);
  }

  @Test
  void aClientThatEndsItsSideIsNotSearchedForAnyLonger() throws Exception {
    EmbeddedChannel channel = fork("gone", COUNT);
    runOne(channel);
    runOne(channel);
    channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
    channel.runPendingTasks();
    assertThat(channel.isOpen()).isFalse();
    runOne();
    assertThat(node.io).isEmpty();
    assertThat(node.store.streamCount()).isOne();
    channel.finishAndReleaseAll();
  }

  @Test
  void aClientIsWatchedWhileItsSearchWaitsForItsFirstTurn() throws Exception {
    EmbeddedChannel first = fork("first", 1);
    EmbeddedChannel second = fork("second", 1);
    runOne(first, second);
    runOne(first, second);
    second.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
    second.runPendingTasks();
    assertThat(second.isOpen()).isFalse();
    runOne(first);
    assertThat(node.io).isEmpty();
    assertCreated("first", first, 2);
    first.finishAndReleaseAll();
    second.finishAndReleaseAll();
  }

  @Test
  void moreMessagesThanFitAreNotLookedFor() throws Exception {
    EmbeddedChannel channel = fork("none", COUNT + 1);
    runOne(channel);
    assertThat(node.io).isEmpty();
    assertThat(received(channel)).startsWith("HTTP/1.1 400").contains("after the end");
    channel.finishAndReleaseAll();
  }

  @Test
  void aTurnThatNoThreadTakesIsTheNextOnes() throws Exception {
    EmbeddedChannel first = fork("first", COUNT);
    EmbeddedChannel second = fork("second", COUNT);
    for (int i = 0; i < 3; i++) {
      runOne(first, second);
    }
    node.refused = task -> true;
    runOne(first, second);
    assertThat(received(first)).startsWith("HTTP/1.1 500");
    assertThat(received(second)).startsWith("HTTP/1.1 500");
    node.refused = task -> false;
    EmbeddedChannel third = fork("third", 1);
    node.run(third);
    assertCreated("third", third, 2);
    third.finishAndReleaseAll();
    first.finishAndReleaseAll();
    second.finishAndReleaseAll();
  }
}
