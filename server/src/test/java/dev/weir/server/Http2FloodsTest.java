package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

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
}
