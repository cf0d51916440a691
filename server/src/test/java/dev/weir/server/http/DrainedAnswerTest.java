package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that is stopped ends what it has begun, whatever its clients have sent behind it. */
class DrainedAnswerTest {
  private static final String READ = "GET /v1/stream/a HTTP/1.1\r\nHost: localhost\r\n\r\n";

  @TempDir Path directory;

  /** A socket that is closed with bytes unread takes the answer from the client. */
  @Test
  void anAnswerUnderWayIsNotCutOffByTheNextRequest() throws Exception {
    try (EmbeddedNode node = new EmbeddedNode(directory)) {
      node.create("a", "text/plain", "x".repeat(200_000));
      EmbeddedChannel channel = node.connect();
      node.send(channel, READ.getBytes(StandardCharsets.US_ASCII));
      channel.runPendingTasks();
      node.io.remove().run();
      channel.runPendingTasks();
      channel.pipeline().fireUserEventTriggered(HttpCarrier.Signal.DRAIN);
      node.run(channel);
      assertThat(channel.isOpen()).as("what comes is dropped").isTrue();
      node.send(channel, READ.getBytes(StandardCharsets.US_ASCII));
      node.run(channel);
      String received = new String(EmbeddedNode.received(channel), StandardCharsets.US_ASCII);
      assertThat(received).startsWith("HTTP/1.1 200").endsWith("\r\n\r\n" + "x".repeat(200_000));
      node.pass(channel, HttpLimits.LINGER);
      assertThat(channel.isOpen()).isFalse();
      channel.finishAndReleaseAll();
    }
  }
}
