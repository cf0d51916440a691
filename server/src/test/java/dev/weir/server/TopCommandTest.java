package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.weir.server.console.ConsoleAccess;
import dev.weir.server.top.TopCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** {@code weir top --once} against nodes, and against what is none. */
class TopCommandTest {
  @TempDir Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return new CommandLine(new TopCommand())
        .setOut(new PrintWriter(out, /* autoFlush= */ true))
        .setErr(new PrintWriter(err, /* autoFlush= */ true))
        .setExecutionExceptionHandler((e, command, parsed) -> {
          throw e;
        })
        .execute(arguments);
  }

  private void assertFails(String reason, String... arguments) {
    CommandLine command =
        new CommandLine(new TopCommand())
            .setExecutionExceptionHandler((e, failed, parsed) -> {
              assertThat(e).isInstanceOf(IOException.class).hasMessageContaining(reason);
              assertThat(e.getMessage()).hasLineCount(1);
              return 1;
            });
    assertThat(command.execute(arguments)).isEqualTo(1);
  }

  @Test
  void aNodeIsShownOnce() throws Exception {
    try (NodeFixture fixture = new NodeFixture(directory)) {
      String address = "localhost:" + fixture.node.address().getPort();
      for (String url :
          new String[] {address, "http://" + address, "http://" + address + "/_weir/"}) {
        out.getBuffer().setLength(0);
        assertThat(run("--once", url)).isZero();
        assertThat(out.toString())
            .startsWith("weir node  http://localhost:")
            .contains("of 32.0 MiB", "free slots", "small slabs")
            .doesNotContain("\033");
      }
    }
  }

  /** A name that no resolver takes for one. */
  @Test
  void aNameThatNobodyHasIsNamed() {
    String host = "n".repeat(64);
    assertFails("no machine is known as '" + host + "'", "--once", host + ":4437");
  }

  @Test
  void whereNobodyListensItSaysSo() throws Exception {
    // It has the port, so that nobody else gets it, and does not listen.
    try (Socket bound = new Socket()) {
      bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      int port = bound.getLocalPort();
      assertFails("nobody listens at http://localhost:" + port, "--once", "localhost:" + port);
    }
  }

  @Test
  void aNodeThatDoesNotShowItselfGivesItsReason() throws Exception {
    NodeParts parts =
        NodeParts.forBudget(NodeFixture.BUDGET_BYTES)
            .with(new Node.ConsoleSettings(ConsoleAccess.OFF, Duration.ofMillis(500)));
    try (NodeFixture fixture = new NodeFixture(directory, NodeFixture.BUDGET_BYTES, parts)) {
      assertFails(
          "answered 404: the console is off; start the node with --console loopback",
          "--once",
          "localhost:" + fixture.node.address().getPort());
    }
  }

  @Test
  void whatIsNoNodeIsToldFromOne() throws Exception {
    HttpServer other =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
    other.createContext(
        "/",
        exchange -> {
          byte[] page = "<html>hello</html>".getBytes(StandardCharsets.US_ASCII);
          exchange.sendResponseHeaders(200, page.length);
          exchange.getResponseBody().write(page);
          exchange.close();
        });
    other.start();
    try {
      assertFails("no node of Weir", "--once", "localhost:" + other.getAddress().getPort());
    } finally {
      other.stop(0);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ftp://localhost", "http://", "::", "http://a b", ""})
  void aBadUrlIsNamed(String url) {
    assertThat(run("--once", url)).isEqualTo(2);
    assertThat(err.toString()).contains("URL");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "3601", "x"})
  void aBadIntervalIsNamed(String seconds) {
    assertThat(run("--interval", seconds)).isEqualTo(2);
    assertThat(err.toString()).contains("--interval");
  }
}
