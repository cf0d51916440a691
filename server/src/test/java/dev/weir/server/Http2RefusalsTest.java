package dev.weir.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Streams that are refused before they have begun, while their clients still send on them. */
@Timeout(120)
class Http2RefusalsTest {
  private static final String TYPE = "text/plain";
  private static final int BEYOND = 3;

  @TempDir Path directory;
  private NodeFixture fixture;

  @BeforeEach
  void start() throws Exception {
    fixture = new NodeFixture(directory);
    fixture.send("PUT", "a", TYPE, "");
  }

  @AfterEach
  void stop() throws Exception {
    fixture.endWithNothingLeft();
  }

  @Test
  void theBodiesOfThoseBeyondTheLimitHarmNoOther() throws Exception {
    try (Http2Client client = fixture.http2()) {
      client.get("/");
      List<Integer> appends = new ArrayList<>();
      for (int i = 0; i < client.settingsMaxStreams + BEYOND; i++) {
        appends.add(
            client.request(/* last= */ false, "POST", "/v1/stream/a", "content-type", TYPE));
      }
      for (int append : appends) {
        client.data(append, "x\n".getBytes(UTF_8), /* last= */ true);
      }
      for (int append : appends.subList(0, client.settingsMaxStreams)) {
        assertThat(client.await(append).status()).isEqualTo(204);
      }
      for (int append : appends.subList(client.settingsMaxStreams, appends.size())) {
        assertThat(client.await(append).error).isEqualTo((int) Http2Error.REFUSED_STREAM.code());
      }
      assertThat(client.get("/v1/stream/a").text())
          .isEqualTo("x\n".repeat(client.settingsMaxStreams));
      assertThat(client.goAways).isZero();
    }
  }

  /** Its body, its trailers, its windows and its end. */
  @ParameterizedTest
  @CsvSource({"connection, close", "transfer-encoding, chunked", "te, gzip", "Upper, case"})
  void whatFollowsHeadersThatBreakARuleHarmsNoOther(String name, String value) throws Exception {
    try (Http2Client client = fixture.http2()) {
      int poll = Http2Phase.LONG_POLL.begin(client);
      int broken =
          client.request(
              /* last= */ false, "POST", "/v1/stream/a", "content-type", TYPE, name, value);
      client.data(broken, new byte[40_000], /* last= */ false);
      client.openWindow(broken, 1);
      client.data(broken, new byte[10], /* last= */ true);
      client.reset(broken, (int) Http2Error.CANCEL.code());
      assertThat(client.await(broken).error).isEqualTo((int) Http2Error.PROTOCOL_ERROR.code());
      client.roundTrip();
      fixture.send("POST", "a", TYPE, "news");
      assertThat(client.await(poll).text()).isEqualTo("news");
      // What came for nobody counts for the window of the connection no longer.
      byte[] body = new byte[3_000_000];
      assertThat(client.exchange("POST", "/v1/stream/a", body, "content-type", TYPE).status())
          .isEqualTo(204);
      assertThat(client.goAways).isZero();
    }
  }

  @Test
  void framesOfAStreamThatNobodyHasBegunEndTheConnection() throws Exception {
    try (Http2Client client = fixture.http2()) {
      int broken = client.request(/* last= */ true, "GET", "/", "connection", "close");
      client.await(broken);
      client.send(Http2FrameTypes.DATA, 0, broken + 2, new byte[1]);
      client.awaitEnd();
      assertThat(client.errorOfGoAway).isEqualTo((int) Http2Error.PROTOCOL_ERROR.code());
    }
  }

  /** However far ahead: one that depends on itself, which Netty resets. */
  @Test
  void aFrameOfAStreamAheadRefusesNoRequest() throws Exception {
    try (Http2Client client = fixture.http2()) {
      byte[] onItself = {0x7f, -1, -1, -1, 0};
      client.send(Http2FrameTypes.PRIORITY, 0, Integer.MAX_VALUE, onItself);
      assertThat(client.await(Integer.MAX_VALUE).error)
          .isEqualTo((int) Http2Error.PROTOCOL_ERROR.code());
      byte[] body = "x".getBytes(UTF_8);
      assertThat(client.exchange("POST", "/v1/stream/a", body, "content-type", TYPE).status())
          .isEqualTo(204);
    }
  }
}
