package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.write.OutboundClosing;
import dev.weir.netty.write.OutboundClosing.Reason;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A connection's output is bounded by a write gate; what that closes is counted. */
class QueuedOutputTest {
  @TempDir Path directory;
  private EmbeddedNode node;
  private EmbeddedChannel channel;

  @BeforeEach
  void connect() throws Exception {
    node = new EmbeddedNode(directory);
    channel = node.connect();
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    channel.finishAndReleaseAll();
    node.close();
  }

  private void begin(boolean http2) {
    if (http2) {
      node.send(channel, Http2Wire.preface(1 << 16));
      node.run(channel);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void itsWaterMarksAreThoseOfTheGate(boolean http2) {
    begin(http2);
    WriteBufferWaterMark marks = channel.config().getWriteBufferWaterMark();
    assertThat(marks.low()).isEqualTo(HttpLimits.CHUNK_BYTES);
    assertThat(marks.high()).isEqualTo(HttpLimits.WRITE_AHEAD_BYTES);
  }

  private void close(Reason reason) {
    channel
        .pipeline()
        .fireUserEventTriggered(new OutboundClosing(reason, /* queuedBytes= */ 1, "by the test"));
  }

  @ParameterizedTest
  @CsvSource({
    "false, SLOW_PEER, stalled",
    "true, SLOW_PEER, stalled",
    "false, TOTAL_FULL, memory",
    "true, CHANNEL_FULL, memory"
  })
  void whyItIsClosedIsCounted(boolean http2, Reason reason, String label) {
    begin(http2);
    close(reason);
    assertThat(node.services.metrics().scrape())
        .contains("weir_http_failed_connections_total{reason=\"" + label + "\"} 1.0");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aWriteThatFailedIsCountedByWhoeverWrote(boolean http2) {
    begin(http2);
    close(Reason.WRITE_FAILED);
    assertThat(node.services.metrics().scrape()).doesNotContain("failed_connections_total{");
  }
}
