package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.HttpLimits;
import dev.weir.server.http.Transport;
import dev.weir.server.store.LocalDisk;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Memory is refused at each place in turn where reads over HTTP/2 take some: what a client gets of
 * an answer is its beginning, whatever is missing behind it.
 */
class Http2MemoryRefusalTest {
  private static final String JSON = "[" + "1234567,".repeat(24_000) + "0]";
  private static final String TEXT = "0123456789abcde\n".repeat(12_000);

  @TempDir Path directory;
  private final RefusingBuffers buffers = new RefusingBuffers();

  static Stream<Transport> transports() {
    return HalfCloseTest.transports();
  }

  @ParameterizedTest
  @MethodSource("transports")
  void nobodyGetsBytesFromBehindAHole(Transport transport) throws Exception {
    long budget = NodeFixture.BUDGET_BYTES;
    HttpLimits limits = HttpLimits.forBudget(budget);
    Node.Parts parts = new Node.Parts(new LocalDisk(), transport, limits, buffers::over);
    try (NodeFixture fixture = new NodeFixture(directory, budget, parts)) {
      fixture.send("PUT", "json", "application/json", JSON);
      fixture.send("PUT", "text", "text/plain", TEXT);
      fixture.http.close();
      refuseInTurn(fixture, buffers::refuse);
      refuseInTurn(fixture, buffers::refuseFrom);
    }
  }

  private void refuseInTurn(NodeFixture fixture, IntConsumer refuse) throws IOException {
    boolean refused = true;
    boolean served = false;
    for (int n = 1; refused; n++) {
      try (Http2Client client = fixture.http2()) {
        client.roundTrip();
        refuse.accept(n);
        int json = client.request(/* last= */ true, "GET", "/v1/stream/json");
        int text = client.request(/* last= */ true, "GET", "/v1/stream/text");
        receive(client, json, text);
        assertThat(JSON).as("the %d. time", n).startsWith(client.response(json).text());
        assertThat(TEXT).as("the %d. time", n).startsWith(client.response(text).text());
        served = client.response(json).text().equals(JSON) && client.response(text).ended;
      }
      refused = buffers.allow() > 0;
      assertThat(served || refused).isTrue();
      NodeFixture.await("no other connection", () -> fixture.openConnections() == 1);
      fixture.assertNothingLeaked();
    }
    assertThat(served).isTrue();
  }

  /** Reads to the end of both, or of the connection. */
  private static void receive(Http2Client client, int... streams) throws IOException {
    try {
      for (int stream : streams) {
        client.await(stream);
      }
    } catch (EOFException | SocketException cutOff) {
      // As is to be expected of a connection with a hole in what it sent.
    }
  }
}
