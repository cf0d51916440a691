package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.memory.budget.Budget;
import dev.weir.netty.WeirAllocator;
import dev.weir.server.http.HttpLimits;
import dev.weir.server.http.Transport;
import dev.weir.server.tls.TlsEngine;
import dev.weir.streams.LocalDisk;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Requests of every kind, over every transport that there is here, in the clear and with TLS. */
class TransportsTest {
  private static TestCertificate certificate;

  @TempDir Path directory;
  private WeirAllocator allocator;

  @BeforeAll
  static void makeCertificate(@TempDir Path keys) throws Exception {
    certificate = TestCertificate.create(keys);
  }

  static List<Arguments> ways() {
    List<Arguments> ways = new ArrayList<>();
    for (Transport transport : Transport.values()) {
      if (transport.isAvailable()) {
        ways.add(Arguments.of(transport, null));
        Arrays.stream(TlsEngine.values())
            .filter(TlsEngine::isAvailable)
            .forEach(engine -> ways.add(Arguments.of(transport, engine)));
      }
    }
    return ways;
  }

  /** The ways are those that there are. Where one is missing, this is skipped, and says which. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void onLinuxNoWayIsMissing() {
    for (Transport transport : Transport.values()) {
      assumeTrue(transport.isAvailable(), () -> transport + " cannot be used here");
    }
    for (TlsEngine engine : TlsEngine.values()) {
      assumeTrue(engine.isAvailable(), () -> engine + " cannot be used here");
    }
    assertThat(ways()).hasSize(Transport.values().length * (1 + TlsEngine.values().length));
  }

  private NodeFixture start(Transport transport, @Nullable TlsEngine engine) throws Exception {
    NodeParts parts =
        new NodeParts(
            new LocalDisk(),
            transport,
            HttpLimits.forBudget(NodeFixture.BUDGET_BYTES),
            real -> {
              allocator = (WeirAllocator) real.allocator();
              return real;
            });
    return NodeFixture.start(directory, parts, certificate, engine);
  }

  @ParameterizedTest
  @MethodSource("ways")
  void everythingIsServedAndNothingIsLeft(Transport transport, @Nullable TlsEngine engine)
      throws Exception {
    try (NodeFixture fixture = start(transport, engine);
        RawClient observer = fixture.raw()) {
      long elsewhere = NodeFixture.bytesOfNetty();
      TalkWithNode.prepare(observer);
      for (TalkWithNode talk : TalkWithNode.values()) {
        try (RawClient client = fixture.raw()) {
          String answer = talk.talk(fixture, client, TalkWithNode.tail(observer));
          assertThat(talk.isServed(answer)).as(talk + ": %s", answer).isTrue();
        }
      }
      TalkWithNode.checkUploads(observer);
      HttpResponse<String> created = fixture.send("PUT", "new", "text/plain", "");
      assertThat(created.headers().firstValue("Location"))
          .hasValue(fixture.uri("/v1/stream/new").toString());
      NodeFixture.await("no other connection", () -> observer.openConnections() <= 2);
      assertThat(observer.metric("weir_http_failed_connections_total{reason=\"error\"}")).isZero();
      assertThat(observer.metric("weir_http_failed_connections_total{reason=\"tls\"}")).isZero();
      fixture.assertNothingLeaked();
      assertThat(NodeFixture.bytesOfNetty()).isLessThanOrEqualTo(elsewhere);
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  void whatIsReadAndWhatIsSentIsChargedToTheClient(Transport transport, @Nullable TlsEngine engine)
      throws Exception {
    try (NodeFixture fixture = start(transport, engine)) {
      fixture.send("PUT", "big", "text/plain", "z".repeat(8_000_000));
      try (RawClient client = fixture.raw()) {
        client.send("GET /v1/stream/big HTTP/1.1\r\nHo");
        NodeFixture.await("a part of a request", () -> chargedFor("connections", client) > 0);
        // A coding is named, so that no file is sent as it is once the stream is flushed.
        client.send("st: localhost\r\nAccept-Encoding: identity\r\n\r\n");
        // Encrypted, it is the connection's; in the clear it is the answer itself that waits.
        String waiting = engine == null ? "responses" : "connections";
        NodeFixture.await("an answer", () -> chargedFor(waiting, client) >= 64 << 10);
        client.reset();
      }
      fixture.http.close();
      NodeFixture.await("no other connection", () -> fixture.openConnections() == 1);
      fixture.assertNothingLeaked();
    }
  }

  private long chargedFor(String usage, RawClient client) {
    return allocator.pool().rootBudget().children().stream()
        .filter(child -> child.name().equals(usage))
        .flatMap(child -> child.children().stream())
        .filter(child -> child.name().equals("127.0.0.1:" + client.localPort()))
        .mapToLong(Budget::chargedBytes)
        .sum();
  }
}
