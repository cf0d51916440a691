package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.streams.CreateRequest.ForkRequest;
import dev.weir.streams.StreamStore;
import dev.weir.streams.protocol.ProtocolException;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** However many searches there are, what they hold is bounded. */
class ForkSearchesTest {
  private static final String MESSAGES = "1,".repeat(StreamStore.MAX_INLINE_BYTES / 2);

  @TempDir Path directory;
  private EmbeddedNode node;

  @BeforeEach
  void open() throws IOException {
    node = new EmbeddedNode(directory);
    node.create("a", "application/json", MESSAGES);
  }

  @AfterEach
  void nothingIsLeft() throws IOException {
    node.close();
  }

  /** What a search has told. */
  private static class Told implements ForkSearch.Listener {
    final List<ForkRequest> found = new ArrayList<>();
    final List<Throwable> failures = new ArrayList<>();
    int takesLong;

    @Override
    public void found(ForkRequest resolved) {
      found.add(resolved);
    }

    @Override
    public void takesLong() {
      takesLong++;
    }

    @Override
    public void failed(Throwable cause) {
      failures.add(cause);
    }
  }

  private ForkSearch search(long messages, ForkSearch.Listener told) {
    ForkRequest fork = ForkRequest.of("a", 0, messages);
    return new ForkSearch(node.services, node.store.find("a"), fork, told);
  }

  private void runAll() {
    for (Runnable task = node.io.poll(); task != null; task = node.io.poll()) {
      task.run();
    }
  }

  @Test
  void soManyWaitAndNoMore() throws Exception {
    List<Told> waiting = new ArrayList<>();
    for (int i = 0; i < 1 + ForkSearches.MAX_WAITING; i++) {
      Told told = new Told();
      search(1, told).run();
      waiting.add(told);
    }
    Told tooMany = new Told();
    search(1, tooMany).run();
    assertThat(tooMany.failures).singleElement().isInstanceOf(ProtocolException.class);
    assertThat(tooMany.takesLong).isZero();
    Runnable firstTurn = node.io.remove();
    EmbeddedChannel channel = node.connect();
    String request =
        "PUT /v1/stream/fork HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n"
            + "Stream-Forked-From: /v1/stream/a\r\n"
            + "Stream-Fork-Offset: 0000000000000000_0000000000000000\r\n"
            + "Stream-Fork-Sub-Offset: 1\r\n\r\n";
    node.send(channel, request.getBytes(StandardCharsets.US_ASCII));
    node.run(channel);
    assertThat(new String(EmbeddedNode.received(channel), StandardCharsets.US_ASCII))
        .startsWith("HTTP/1.1 503")
        .contains("retry-after: 1", "1024 forks wait", "ask again later");
    firstTurn.run();
    runAll();
    assertThat(waiting)
        .allSatisfy(told -> {
          assertThat(told.found).hasSize(1);
          assertThat(told.failures).isEmpty();
        });
    Told later = new Told();
    search(1, later).run();
    runAll();
    assertThat(later.found).hasSize(1);
    channel.finishAndReleaseAll();
  }

  @Test
  void whoWaitsIsToldBeforeItsFirstTurnAndWhoDoesNotAfterIt() {
    Told first = new Told();
    Told second = new Told();
    search(MESSAGES.length() / 2, first).run();
    search(MESSAGES.length() / 2, second).run();
    assertThat(first.takesLong).isZero();
    assertThat(second.takesLong).isOne();
    node.io.remove().run();
    assertThat(first.takesLong).isOne();
    runAll();
    assertThat(first.takesLong).isOne();
    assertThat(second.takesLong).isOne();
    assertThat(first.found).isEqualTo(second.found).hasSize(1);
  }

  @Test
  void aSearchThatIsCancelledBeforeItWaitsDoesNotWait() {
    Told other = new Told();
    search(1, other).run();
    Told told = new Told();
    ForkSearch cancelled = search(1, told);
    cancelled.cancel();
    cancelled.run();
    assertThat(told.takesLong).isZero();
    ForkSearch[] own = new ForkSearch[1];
    own[0] =
        search(
            MESSAGES.length() / 2,
            new Told() {
              @Override
              public void takesLong() {
                own[0].cancel();
              }
            });
    runAll();
    own[0].run();
    node.io.remove().run();
    assertThat(node.io).as("it was cancelled while it had its turn").isEmpty();
    assertThat(other.found).hasSize(1);
    assertThat(told.found).isEmpty();
  }

  private long openFiles() throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.filter(this::isOfTheStore).count();
    }
  }

  private boolean isOfTheStore(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).startsWith(directory.toRealPath());
    } catch (IOException closedMeanwhile) {
      return false;
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void searchesThatHaveBegunKeepNoFileOpen() throws IOException {
    long before = openFiles();
    assertThat(before).as("the committer's").isPositive();
    List<Told> begun = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Told told = new Told();
      search(MESSAGES.length() / 2, told).run();
      begun.add(told);
    }
    for (int turn = 0; turn < begun.size(); turn++) {
      node.io.remove().run();
    }
    assertThat(begun).allSatisfy(told -> assertThat(told.takesLong).isOne());
    assertThat(openFiles()).isEqualTo(before);
    runAll();
    assertThat(begun).allSatisfy(told -> assertThat(told.found).hasSize(1));
  }
}
