package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.streams.AppendRequest;
import dev.weir.streams.Payload;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Text that is appended in parts of characters comes as events of whole ones. */
class CutCharactersTest {
  private static final Pattern DATA = Pattern.compile("event: data\ndata:(.*)\n\n");
  private static final Pattern OFFSET = Pattern.compile("\"streamNextOffset\":\"(\\d+)_0*(\\d+)\"");

  @TempDir Path directory;

  private static void append(EmbeddedNode node, boolean closes, int... bytes) {
    byte[] all = new byte[bytes.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) bytes[i];
    }
    node.store
        .append(
            new AppendRequest("a", "text/plain", closes, null, null),
            new Payload.Inline(ByteBuffer.wrap(all), () -> {}))
        .join();
  }

  /** Of HTTP/1.0, whose answers have no chunks. */
  private static EmbeddedChannel reader(EmbeddedNode node) throws Exception {
    EmbeddedChannel channel = node.connect();
    String request = "GET /v1/stream/a?offset=-1&live=sse HTTP/1.0\r\n\r\n";
    node.send(channel, request.getBytes(StandardCharsets.US_ASCII));
    node.run(channel);
    return channel;
  }

  private static List<String> found(Pattern pattern, String text, int group) {
    return pattern.matcher(text).results().map(result -> result.group(group)).toList();
  }

  @Test
  void aCharacterWaitsForItsLastByte() throws Exception {
    try (EmbeddedNode node = new EmbeddedNode(directory)) {
      node.create("a", "text/plain", "x");
      EmbeddedChannel channel = reader(node);
      for (int unit : new int[] {'y', 0xF0, 0x9F, 0x98, 0x80, 0xC3, 0xBC}) {
        append(node, /* closes= */ false, unit);
        node.run(channel);
      }
      String events = new String(EmbeddedNode.received(channel), StandardCharsets.UTF_8);
      assertThat(found(DATA, events, 1)).containsExactly("x", "y", "😀", "ü");
      assertThat(found(OFFSET, events, 2)).startsWith("1", "2").endsWith("6", "8");
      assertThat(found(OFFSET, events, 2)).doesNotContain("3", "4", "5", "7");
      channel.finishAndReleaseAll();
    }
  }

  @Test
  void aStreamThatIsClosedWithinACharacterIsReadToItsEnd() throws Exception {
    try (EmbeddedNode node = new EmbeddedNode(directory)) {
      node.create("a", "text/plain", "x");
      EmbeddedChannel channel = reader(node);
      append(node, /* closes= */ false, 0xE2);
      node.run(channel);
      append(node, /* closes= */ true, 0x82);
      node.run(channel);
      byte[] received = EmbeddedNode.received(channel);
      String events = new String(received, StandardCharsets.ISO_8859_1);
      assertThat(events).contains("data:\u00e2\u0082\n\n").contains("\"streamClosed\":true");
      assertThat(found(OFFSET, events, 2).getLast()).isEqualTo("3");
      channel.finishAndReleaseAll();
    }
  }
}
