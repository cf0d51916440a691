package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.HttpLimits;
import io.netty.handler.codec.http2.Http2Error;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Streams of HTTP/2 take places of the node's, as connections do. */
@Timeout(120)
class Http2PlacesTest {
  private static final String TYPE = "text/plain";

  @TempDir Path directory;

  private NodeFixture start(int maxConnections) throws IOException {
    Duration never = Duration.ofDays(1);
    return new NodeFixture(
        directory,
        new HttpLimits(maxConnections, 1 << 30, 8 << 20, never, never, never, never, never));
  }

  @Test
  void streamsTakeTheNodesPlaces() throws Exception {
    try (NodeFixture small = start(/* maxConnections= */ 8);
        Http2Client one = small.http2();
        Http2Client two = small.http2()) {
      one.exchange("PUT", "/v1/stream/a", new byte[0], "content-type", TYPE);
      two.get("/");
      assertThat(one.settingsMaxStreams).isEqualTo(4);
      List<Integer> polls = new ArrayList<>();
      for (Http2Client client : List.of(one, two)) {
        for (int i = 0; i < 4; i++) {
          polls.add(Http2Phase.LONG_POLL.begin(client));
        }
        // They are there when this is answered: refused for itself, as one too many.
        client.await(client.request(/* last= */ true, "GET", "/"));
      }
      // Eight places are taken, by six streams beyond the first and two connections.
      try (RawClient third = small.raw()) {
        third.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assertThat(third.receive().status()).isEqualTo(503);
      }
      one.reset(polls.get(3), (int) Http2Error.CANCEL.code());
      NodeFixture.await("a place", () -> small.metric("weir_http2_open_streams") == 7);
      small.http.close();
    }
  }

  @Test
  void aStreamWithoutAPlaceIsToldToComeAgain() throws Exception {
    try (NodeFixture small = start(/* maxConnections= */ 3);
        Http2Client client = small.http2()) {
      client.exchange("PUT", "/v1/stream/a", new byte[0], "content-type", TYPE);
      for (int i = 0; i < 3; i++) {
        Http2Phase.EVENTS_AT_THE_TAIL.begin(client);
      }
      Http2Client.Response refused =
          client.exchange("POST", "/v1/stream/a", new byte[100], "content-type", TYPE);
      assertThat(refused.status()).isEqualTo(503);
      assertThat(refused.header("retry-after")).isEqualTo("1");
      assertThat(refused.text()).endsWith("takes\n");
      small.http.close();
    }
  }

  @Test
  void whatComesOnAStreamWithoutAPlaceIsNotKept() throws Exception {
    try (NodeFixture small = start(/* maxConnections= */ 3);
        Http2Client client = small.http2(/* windowBytes= */ 0, 0)) {
      client.stopOpeningWindows();
      client.exchange("PUT", "/v1/stream/a", new byte[0], "content-type", TYPE);
      for (int i = 0; i < 3; i++) {
        Http2Phase.LONG_POLL.begin(client);
      }
      NodeFixture.await("a body that is not kept", () -> keepsNothingOfARefused(client, small));
      small.http.close();
    }
  }

  /** Whether that was seen before the stream was reset: then there is nothing of it either way. */
  private static boolean keepsNothingOfARefused(Http2Client client, NodeFixture small)
      throws IOException {
    int refused = client.request(/* last= */ false, "POST", "/v1/stream/a", "content-type", TYPE);
    while (client.response(refused).status() == 0) {
      client.receive();
    }
    assertThat(client.response(refused).status()).isEqualTo(503);
    for (int i = 0; i < 3; i++) {
      client.data(refused, new byte[16_000], /* last= */ false);
    }
    boolean keepsNothing;
    do {
      client.roundTrip();
      // The loop may still have what it was reading when it answered.
      keepsNothing = small.node.liveBufferBytes() < 32_000;
      client.roundTrip();
    } while (!keepsNothing && !client.response(refused).isOver());
    keepsNothing &= !client.response(refused).isOver();
    // It is reset a moment later, whatever the client takes of the answer.
    assertThat(client.await(refused).error).isEqualTo((int) Http2Error.NO_ERROR.code());
    return keepsNothing;
  }
}
