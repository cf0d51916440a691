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
 * Memory is refused at each place in turn where a connection of HTTP/2 takes some: what a client
 * gets of an answer is its beginning, whatever is missing behind it, and nobody waits for what does
 * not come.
 */
class Http2MemoryRefusalTest {
  private static final String JSON = "[" + "1234567,".repeat(24_000) + "0]";
  private static final String TEXT = "0123456789abcde\n".repeat(12_000);

  /** As clients number those that they open. */
  private static final int JSON_STREAM = 1;

  private static final int TEXT_STREAM = 3;

  private static final String ENDED = "weir_http_failed_connections_total{reason=\"memory\"}";

  /** More than half a window: a client that misses an update never gets so much again. */
  private static final byte[] PART = new byte[(32 << 10) + 1];

  private static final int PARTS = 6;

  @TempDir Path directory;
  private final RefusingBuffers buffers = new RefusingBuffers();

  static Stream<Transport> transports() {
    return HalfCloseTest.transports();
  }

  private NodeFixture start(Transport transport) throws IOException {
    long budget = NodeFixture.BUDGET_BYTES;
    HttpLimits limits = HttpLimits.forBudget(budget);
    Node.Parts parts = new Node.Parts(new LocalDisk(), transport, limits, buffers::over);
    return new NodeFixture(directory, budget, parts);
  }

  @ParameterizedTest
  @MethodSource("transports")
  void nobodyGetsBytesFromBehindAHole(Transport transport) throws Exception {
    try (NodeFixture fixture = start(transport)) {
      fixture.send("PUT", "json", "application/json", JSON);
      fixture.send("PUT", "text", "text/plain", TEXT);
      fixture.http.close();
      refuseInTurn(fixture, buffers::refuse);
      refuseInTurn(fixture, buffers::refuseFrom);
    }
  }

  @ParameterizedTest
  @MethodSource("transports")
  void nobodyWaitsForAFrameThatWasNotSent(Transport transport) throws Exception {
    try (NodeFixture fixture = start(transport)) {
      fixture.send("PUT", "text", "text/plain", TEXT);
      fixture.http.close();
      boolean refused = true;
      for (int n = 1; refused; n++) {
        double endedBefore = fixture.metric(ENDED);
        buffers.refuse(n);
        boolean goesOn = uploadAndPing(fixture);
        refused = buffers.allow() > 0;
        assertThat(goesOn || refused).isTrue();
        if (!goesOn) {
          NodeFixture.await(
              "the end is counted, the %d. time".formatted(n),
              () -> fixture.metric(ENDED) > endedBefore);
        }
        NodeFixture.await("no other connection", () -> fixture.openConnections() == 1);
        fixture.assertNothingLeaked();
      }
    }
  }

  /** Whether the connection does all that it should, if not for every stream. */
  private static boolean uploadAndPing(NodeFixture fixture) throws IOException {
    try (Http2Client client = fixture.http2()) {
      int upload =
          client.request(
              /* last= */ false, "POST", "/v1/stream/text", "content-type", "text/plain");
      for (int part = 1; part <= PARTS; part++) {
        client.awaitWindow(upload, PART.length);
        if (!client.response(upload).isOver()) {
          client.data(upload, PART, /* last= */ part == PARTS);
        }
      }
      client.await(upload);
      client.roundTrip();
      client.get("/v1/stream/text?offset=now");
      return true;
    } catch (EOFException | SocketException cutOff) {
      return false;
    }
  }

  private void refuseInTurn(NodeFixture fixture, IntConsumer refuse) throws IOException {
    boolean refused = true;
    boolean served = false;
    for (int n = 1; refused; n++) {
      try (Http2Client client = fixture.http2()) {
        client.roundTrip();
        refuse.accept(n);
        ask(client);
        receive(client, JSON_STREAM, TEXT_STREAM);
        String json = client.response(JSON_STREAM).text();
        assertThat(JSON).as("the %d. time", n).startsWith(json);
        assertThat(TEXT).as("the %d. time", n).startsWith(client.response(TEXT_STREAM).text());
        served = json.equals(JSON) && client.response(TEXT_STREAM).ended;
      }
      refused = buffers.allow() > 0;
      assertThat(served || refused).isTrue();
      NodeFixture.await("no other connection", () -> fixture.openConnections() == 1);
      fixture.assertNothingLeaked();
    }
    assertThat(served).isTrue();
  }

  /** Asks for both, or for the first only: the connection may end for it before the second. */
  private static void ask(Http2Client client) throws IOException {
    try {
      client.request(/* last= */ true, "GET", "/v1/stream/json");
      client.request(/* last= */ true, "GET", "/v1/stream/text");
    } catch (SocketException cutOff) {
      // What came until then is there to be read.
    }
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
