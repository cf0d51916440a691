package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.HttpLimits;
import dev.weir.server.http.Transport;
import dev.weir.server.metrics.NodeMetrics;
import dev.weir.server.tls.TlsCredentials;
import dev.weir.server.tls.TlsEngine;
import dev.weir.streams.LocalDisk;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Memory is refused at each place in turn where a handshake, a request or its answer takes some
 * with TLS: the connection is served all the same or ends with a reason, and nothing is left.
 */
class TlsMemoryRefusalTest {
  private static TestCertificate certificate;

  private static final Logger LOGGER = Logger.getLogger(NodeMetrics.class.getName());

  private static final Set<TalkWithNode> TWO = Set.of(TalkWithNode.UPLOAD, TalkWithNode.DOWNLOAD);

  @TempDir Path directory;
  private final AtomicInteger withinRecords = new AtomicInteger();

  /** Counts connections that ended for want of memory for a record of which a part had come. */
  private final Handler log =
      new Handler() {
        @Override
        public void publish(LogRecord logRecord) {
          if (Arrays.toString(logRecord.getParameters())
              .contains("TLS record that came in parts")) {
            withinRecords.incrementAndGet();
          }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  private final RefusingBuffers buffers = new RefusingBuffers();

  @BeforeAll
  static void makeCertificate(@TempDir Path keys) throws Exception {
    certificate = TestCertificate.create(keys);
  }

  /** All talks with the engine that takes its buffers from the pool, two with the other. */
  static Stream<Arguments> cases() {
    return TlsFaultsTest.engines()
        .flatMap(engine ->
            Arrays.stream(TalkWithNode.values())
                .filter(talk -> engine == TlsEngine.BORINGSSL || TWO.contains(talk))
                .map(talk -> Arguments.of(engine, talk)));
  }

  private NodeFixture start(TlsEngine engine) throws Exception {
    long budget = NodeFixture.BUDGET_BYTES;
    TlsCredentials credentials = TlsCredentials.read(certificate.certificate(), certificate.key());
    NodeParts parts =
        new NodeParts(
                new LocalDisk(), Transport.best(), HttpLimits.forBudget(budget), buffers::over)
            .secured(new Node.TlsSettings(credentials, engine));
    return new NodeFixture(directory, budget, parts, certificate);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void everyRefusalEndsWell(TlsEngine engine, TalkWithNode talk) throws Exception {
    try (NodeFixture fixture = start(engine)) {
      observe(
          fixture,
          observer -> {
            TalkWithNode.prepare(observer);
            return null;
          });
      boolean refused = true;
      boolean served = false;
      for (int n = 1; refused; n++) {
        String tail = observe(fixture, TalkWithNode::tail);
        double before = observe(fixture, TlsMemoryRefusalTest::failures);
        buffers.refuse(n);
        served = talk.isServed(talk(talk, fixture, tail));
        refused = buffers.allow() > 0;
        awaitNoOtherConnection(fixture);
        fixture.assertNothingLeaked();
        if (!served) {
          assertThat(refused).as("%s, the %d. time", talk, n).isTrue();
          double after = observe(fixture, TlsMemoryRefusalTest::failures);
          assertThat(after).as("the %d. time", n).isGreaterThan(before);
        }
      }
      assertThat(served).isTrue();
      observe(
          fixture,
          observer -> {
            TalkWithNode.checkUploads(observer);
            return null;
          });
    }
  }

  private static double failures(RawClient observer) throws IOException {
    return observer.metric("weir_http_failed_connections_total{reason=\"memory\"}")
        + observer.metric("weir_http_failed_connections_total{reason=\"tls\"}");
  }

  private static String talk(TalkWithNode talk, NodeFixture fixture, String tail)
      throws IOException {
    try (RawClient client = fixture.raw()) {
      return talk.talk(fixture, client, tail);
    } catch (SocketTimeoutException hangs) {
      throw hangs;
    } catch (IOException cutOff) {
      return "";
    }
  }

  /** The node gets a buffer for the first part, and may need a larger one when it has the rest. */
  @ParameterizedTest
  @MethodSource("dev.weir.server.TlsFaultsTest#engines")
  void aRefusalWithinARecordIsNoDefect(TlsEngine engine) throws Exception {
    LOGGER.addHandler(log);
    try (NodeFixture fixture = start(engine)) {
      // Both parts may come as one where the machine holds up who reads the first.
      NodeFixture.await(
          "a refusal within a record",
          () -> {
            refuseEachOfARequestInParts(fixture);
            // Never seen with the JDK's engine: what it is refused is told as it is.
            return engine == TlsEngine.JDK || withinRecords.get() > 0;
          });
    } finally {
      LOGGER.removeHandler(log);
    }
  }

  private void refuseEachOfARequestInParts(NodeFixture fixture) throws IOException {
    String request = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX: ";
    boolean refused = true;
    for (int n = 1; refused; n++) {
      try (RawClient client = fixture.raw()) {
        client.divide();
        buffers.refuse(n);
        client.send(request + "a".repeat(12_000) + "\r\n\r\n").rest();
      } catch (IOException cutOff) {
        assertThat(cutOff).isNotInstanceOf(SocketTimeoutException.class);
      }
      refused = buffers.allow() > 0;
      awaitNoOtherConnection(fixture);
      fixture.assertNothingLeaked();
      String defects = "weir_http_failed_connections_total{reason=\"error\"}";
      double failed = observe(fixture, observer -> observer.metric(defects));
      assertThat(failed).as("the %d. time", n).isZero();
    }
  }

  private static void awaitNoOtherConnection(NodeFixture fixture) throws IOException {
    NodeFixture.await(
        "no other connection", () -> observe(fixture, RawClient::openConnections) == 1);
  }

  private interface Look<T extends @Nullable Object> {
    T at(RawClient observer) throws IOException;
  }

  /** On a connection of its own: an idle one might be refused a buffer meant for another. */
  private static <T extends @Nullable Object> T observe(NodeFixture fixture, Look<T> look)
      throws IOException {
    try (RawClient observer = fixture.raw()) {
      return look.at(observer);
    }
  }
}
