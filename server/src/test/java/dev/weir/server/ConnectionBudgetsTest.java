package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.Budget;
import dev.weir.server.console.ConsoleAccess;
import dev.weir.server.http.HttpLimits;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.jr.ob.JSON;

/** What each use of the node's memory, and each client of that, is charged. */
class ConnectionBudgetsTest {
  private static final long BUDGET_BYTES = 64 << 20;
  private static final String NEWS = "n".repeat(8_000_000);

  /** Clients that name no coding are sent the file. */
  private static final String IN_PIECES =
      "GET /v1/stream/news HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: identity\r\n\r\n";

  @TempDir Path directory;
  private final KnownBuffers buffers = new KnownBuffers();
  private NodeFixture fixture;

  @BeforeEach
  void start() throws Exception {
    NodeParts parts =
        buffers
            .parts(HttpLimits.forBudget(BUDGET_BYTES))
            .with(new Node.ConsoleSettings(ConsoleAccess.LOOPBACK, Duration.ofMillis(20)));
    fixture = new NodeFixture(directory, BUDGET_BYTES, parts);
    assertThat(fixture.send("PUT", "news", "text/plain", NEWS).statusCode()).isEqualTo(201);
  }

  @AfterEach
  void stop() throws Exception {
    fixture.http.close();
    NodeFixture.await("no other connection", () -> fixture.openConnections() == 1);
    NodeFixture.await(
        "no budget of a connection",
        () -> clients("responses").isEmpty() && clients("uploads").isEmpty());
    fixture.assertNothingLeaked();
    fixture.close();
  }

  private List<Budget> clients(String usage) {
    List<Budget> of =
        buffers.pool().rootBudget().children().stream()
            .filter(child -> child.name().equals(usage))
            .toList();
    assertThat(of).as(usage).hasSize(1);
    return of.getFirst().children();
  }

  private Budget budget(String usage, RawClient client) {
    return clients(usage).stream()
        .filter(each -> each.name().equals("127.0.0.1:" + client.localPort()))
        .findFirst()
        .orElseThrow();
  }

  private long charged(String usage, RawClient client) {
    return clients(usage).stream()
        .filter(each -> each.name().equals("127.0.0.1:" + client.localPort()))
        .mapToLong(Budget::chargedBytes)
        .sum();
  }

  @Test
  void aClientThatDoesNotReadHoldsPartOfTheResponses() throws Exception {
    try (RawClient client = new RawClient(fixture.node.address(), 4096)) {
      client.send(IN_PIECES);
      NodeFixture.await("an answer under way", () -> charged("responses", client) >= 64 << 10);
      assertThat(charged("uploads", client)).isZero();
      assertThat(budget("responses", client).path()).startsWith("node/responses/127.0.0.1:");
      client.reset();
    }
  }

  @Test
  void aBodyThatComesSlowlyIsAnUpload() throws Exception {
    try (RawClient client = fixture.raw()) {
      client.send(
          "POST /v1/stream/news HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
              + "Content-Length: 10001\r\n\r\n");
      client.send("x".repeat(10_000));
      NodeFixture.await("a body under way", () -> charged("uploads", client) >= 10_000);
      assertThat(charged("responses", client)).isZero();
      client.send(".");
      assertThat(client.receive().status()).isEqualTo(204);
      NodeFixture.await("the body stored", () -> charged("uploads", client) == 0);
    }
  }

  @Test
  @SuppressWarnings("unchecked")
  void theConsoleAddsUpWhatAClientHolds() throws Exception {
    try (RawClient client = new RawClient(fixture.node.address(), 4096)) {
      client.send(IN_PIECES);
      NodeFixture.await("an answer under way", () -> charged("responses", client) >= 64 << 10);
      String name = "127.0.0.1:" + client.localPort();
      NodeFixture.await(
          "the client in the list",
          () -> {
            Map<String, Object> channels = (Map<String, Object>) snapshot().get("channels");
            List<Map<String, Object>> top = (List<Map<String, Object>>) channels.get("top");
            return top.stream()
                .anyMatch(row ->
                    row.get("name").equals(name)
                        && ((Number) row.get("bytes")).longValue() >= 64 << 10
                        && ((Number) channels.get("bytes")).longValue() >= 64 << 10
                        && ((Number) channels.get("count")).intValue() >= 1);
          });
      client.reset();
    }
  }

  private Map<String, Object> snapshot() {
    try {
      return JSON.std.mapFrom(
          fixture
              .http
              .send(
                  HttpRequest.newBuilder(
                          URI.create(
                              "http://localhost:"
                                  + fixture.node.address().getPort()
                                  + "/_weir/snapshot"))
                      .build(),
                  HttpResponse.BodyHandlers.ofString())
              .body());
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
