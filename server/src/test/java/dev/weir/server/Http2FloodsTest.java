package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients of HTTP/2 that send more frames than they have a reason to, and some that have one. */
@Timeout(120)
class Http2FloodsTest {
  private static final int BIG_BYTES = 8_000_000;
  private static final int KIB = 1 << 10;

  @TempDir Path directory;
  private NodeFixture fixture;

  @BeforeEach
  void start() throws Exception {
    fixture = new NodeFixture(directory);
    fixture.send("PUT", "big", "text/plain", "z".repeat(BIG_BYTES));
    fixture.send("PUT", "a", "text/plain", "");
  }

  @AfterEach
  void stop() throws Exception {
    fixture.endWithNothingLeft();
  }

  /** What a client sends again and again. Its stream 1 has ended, its stream 3 is open. */
  private enum Flood {
    PINGS(Http2FrameTypes.PING, 0, 0, new byte[8]),
    ANSWERS_TO_NO_PING(Http2FrameTypes.PING, Http2Client.ACK, 0, new byte[8]),
    SETTINGS(
        Http2FrameTypes.SETTINGS,
        0,
        0,
        Http2Client.setting(Http2CodecUtil.SETTINGS_ENABLE_PUSH, 0)),
    EMPTY_DATA(Http2FrameTypes.DATA, 0, 3, new byte[0]),
    DATA_OF_A_STREAM_THAT_HAS_ENDED(Http2FrameTypes.DATA, 0, 1, new byte[1]),
    PRIORITIES(Http2FrameTypes.PRIORITY, 0, 3, new byte[5]),
    PRIORITIES_OF_NO_STREAM(Http2FrameTypes.PRIORITY, 0, 99, new byte[5]),
    WINDOWS_OF_A_STREAM(Http2FrameTypes.WINDOW_UPDATE, 0, 3, one()),
    WINDOWS_OF_A_STREAM_THAT_HAS_ENDED(Http2FrameTypes.WINDOW_UPDATE, 0, 1, one()),
    WINDOWS_OF_THE_CONNECTION(Http2FrameTypes.WINDOW_UPDATE, 0, 0, one()),
    RESETS_OF_A_STREAM_THAT_HAS_ENDED(Http2FrameTypes.RST_STREAM, 0, 1, one()),
    FAREWELLS(Http2FrameTypes.GO_AWAY, 0, 0, new byte[8]),
    FRAMES_OF_AN_UNKNOWN_KIND(0x77, 0, 0, new byte[8]);

    private final byte[] frame;

    Flood(int type, int flags, int stream, byte[] payload) {
      frame = Http2Client.frame(type, flags, stream, payload);
    }

    private static byte[] one() {
      return ByteBuffer.allocate(4).putInt(1).array();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aFloodEndsItsConnectionAlone(Flood flood) throws Exception {
    try (Http2Client other = fixture.http2();
        Http2Client client = fixture.http2()) {
      int bystander = Http2Phase.EVENTS_AT_THE_TAIL.begin(other);
      client.get("/");
      assertThat(Http2Phase.BODY_THAT_NOBODY_READS.begin(client)).isEqualTo(3);
      try {
        for (int i = 0; i < 3_000; i++) {
          client.sendRaw(flood.frame);
        }
        client.awaitEnd();
      } catch (SocketException alreadyEnded) {
        // By the frames before.
      }
      assertThat(other.get("/").status()).isEqualTo(200);
      assertThat(other.response(bystander).isOver()).isFalse();
      assertThat(fixture.metric("weir_http_failed_connections_total{reason=\"peer\"}"))
          .isPositive();
    }
  }

  @Test
  void requestsThatAreResetAtOnceEndTheConnection() throws Exception {
    try (Http2Client client = fixture.http2()) {
      client.get("/");
      for (int i = 0; i < 300; i++) {
        int stream = client.request(/* last= */ true, "GET", "/v1/stream/big");
        client.reset(stream, (int) Http2Error.CANCEL.code());
      }
      client.awaitEnd();
    } catch (SocketException alreadyEnded) {
      // By the resets before.
    }
  }

  /** Many times what the limit allows of frames that nobody has a reason for. */
  @Test
  void aClientMaySayOfEachKibThatItIsTaken() throws Exception {
    try (Http2Client client = fixture.http2()) {
      client.stopOpeningWindows();
      int stream = client.request(/* last= */ true, "GET", "/v1/stream/big");
      Http2Client.Response response = client.response(stream);
      while (!response.isOver()) {
        int before = response.body.size();
        client.receive();
        for (int bytes = response.body.size() - before; bytes > 0; bytes -= KIB) {
          openWindows(client, stream, Math.min(bytes, KIB));
        }
      }
      assertThat(response.body.size()).isEqualTo(BIG_BYTES);
      assertThat(client.get("/").status()).isEqualTo(200);
      assertThat(client.goAways).isZero();
    }
  }

  private static void openWindows(Http2Client client, int stream, int bytes) throws IOException {
    client.openWindow(stream, bytes);
    client.openWindow(0, bytes);
  }

  @Test
  void aClientMayWeighEachOfItsRequests() throws Exception {
    try (Http2Client client = fixture.http2()) {
      for (int i = 0; i < 2_000; i++) {
        int stream = client.request(/* last= */ true, "HEAD", "/v1/stream/a");
        client.send(Http2FrameTypes.PRIORITY, 0, stream, new byte[5]);
        assertThat(client.await(stream).status()).isEqualTo(200);
      }
      assertThat(client.goAways).isZero();
    }
  }
}
