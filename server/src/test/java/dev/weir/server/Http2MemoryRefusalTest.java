package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.HttpLimits;
import dev.weir.server.http.Transport;
import dev.weir.server.tls.TlsEngine;
import dev.weir.streams.LocalDisk;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Memory is refused at each place in turn where a connection of HTTP/2 takes some: what a client
 * gets of an answer is its beginning, whatever is missing behind it, and nobody waits for what does
 * not come.
 */
class Http2MemoryRefusalTest {
  private static final int ELEMENTS = 24_000;

  /** As clients number those that they open. */
  private static final int JSON_STREAM = 1;

  private static final int TEXT_STREAM = 3;

  /** More than half a window: a client that misses an update never gets so much again. */
  private static final byte[] PART = new byte[(32 << 10) + 1];

  private static final int PARTS = 6;

  @TempDir Path directory;
  private final RefusingBuffers buffers = new RefusingBuffers();

  private static TestCertificate certificate;

  @BeforeAll
  static void makeCertificate(@TempDir Path keys) throws Exception {
    certificate = TestCertificate.create(keys);
  }

  /** Each transport in the clear, which is no engine, and the best with each engine. */
  static Stream<Arguments> ways() {
    return Stream.concat(
        HalfCloseTest.transports().map(transport -> Arguments.of(transport, null)),
        TlsFaultsTest.engines().map(engine -> Arguments.of(Transport.best(), engine)));
  }

  private NodeFixture start(Transport transport, @Nullable TlsEngine engine) throws Exception {
    HttpLimits limits = HttpLimits.forBudget(NodeFixture.BUDGET_BYTES);
    NodeParts parts = new NodeParts(new LocalDisk(), transport, limits, buffers::over);
    return NodeFixture.start(directory, parts, certificate, engine);
  }

  @ParameterizedTest
  @MethodSource("ways")
  void nobodyGetsBytesFromBehindAHole(Transport transport, @Nullable TlsEngine engine)
      throws Exception {
    try (NodeFixture fixture = start(transport, engine)) {
      // The JDK's engine takes several times as long: so much of less, each with a handshake.
      int elements = engine == TlsEngine.JDK ? ELEMENTS / 4 : ELEMENTS;
      String json = "[" + "1234567,".repeat(elements) + "0]";
      String text = text(elements);
      fixture.send("PUT", "json", "application/json", json);
      fixture.send("PUT", "text", "text/plain", text);
      fixture.http.close();
      refuseInTurn(fixture, buffers::refuse, json, text);
      refuseInTurn(fixture, buffers::refuseFrom, json, text);
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  void nobodyWaitsForAFrameThatWasNotSent(Transport transport, @Nullable TlsEngine engine)
      throws Exception {
    try (NodeFixture fixture = start(transport, engine)) {
      fixture.send("PUT", "text", "text/plain", text(ELEMENTS));
      fixture.http.close();
      boolean refused = true;
      for (int n = 1; refused; n++) {
        double endedBefore = ended(fixture, engine);
        buffers.refuse(n);
        boolean goesOn = uploadAndPing(fixture);
        refused = buffers.allow() > 0;
        assertThat(goesOn || refused).isTrue();
        if (!goesOn) {
          NodeFixture.await(
              "the end is counted, the %d. time".formatted(n),
              () -> ended(fixture, engine) > endedBefore);
        }
        NodeFixture.await("no other connection", () -> fixture.openConnections() == 1);
        fixture.assertNothingLeaked();
      }
    }
  }

  /** A refusal within a handshake may be told as a handshake that failed. */
  private static double ended(NodeFixture fixture, @Nullable TlsEngine engine) {
    double refused = failed(fixture, "memory");
    return engine == null ? refused : refused + failed(fixture, "tls");
  }

  private static double failed(NodeFixture fixture, String reason) {
    return fixture.metric("weir_http_failed_connections_total{reason=\"" + reason + "\"}");
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
    } catch (EOFException | SocketException | SSLException cutOff) {
      return false;
    }
  }

  private static String text(int elements) {
    return "0123456789abcde\n".repeat(elements / 2);
  }

  private void refuseInTurn(NodeFixture fixture, IntConsumer refuse, String json, String text)
      throws IOException {
    boolean refused = true;
    boolean served = false;
    for (int n = 1; refused; n++) {
      try (Http2Client client = fixture.http2()) {
        client.roundTrip();
        refuse.accept(n);
        ask(client);
        receive(client, JSON_STREAM, TEXT_STREAM);
        String jsonSoFar = client.response(JSON_STREAM).text();
        assertThat(json).as("the %d. time", n).startsWith(jsonSoFar);
        assertThat(text).as("the %d. time", n).startsWith(client.response(TEXT_STREAM).text());
        served = jsonSoFar.equals(json) && client.response(TEXT_STREAM).ended;
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
    } catch (SocketException | SSLException cutOff) {
      // What came until then is there to be read.
    }
  }

  /** Reads to the end of both, or of the connection. */
  private static void receive(Http2Client client, int... streams) throws IOException {
    try {
      for (int stream : streams) {
        client.await(stream);
      }
    } catch (EOFException | SocketException | SSLException cutOff) {
      // As is to be expected of a connection with a hole in what it sent.
    }
  }
}
