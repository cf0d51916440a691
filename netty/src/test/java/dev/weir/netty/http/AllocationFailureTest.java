package dev.weir.netty.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.weir.netty.TestCertificate;
import io.netty.handler.ssl.JdkSslContext;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An {@code OutOfMemoryError} at every allocation of an exchange in turn: the client gets an answer
 * or the end of its connection, nothing leaks, and others are served.
 */
@Timeout(120)
class AllocationFailureTest {
  private static final String BODY = "x".repeat(FaultyServer.BODY_BYTES);

  enum Exchange {
    DECLARED,
    EXPECTING_CONTINUE,
    CHUNKED,
    TLS
  }

  @TempDir private Path folder;

  @ParameterizedTest
  @EnumSource(Exchange.class)
  void everyAllocationMayFail(Exchange exchange) throws Exception {
    TestCertificate certificate = exchange == Exchange.TLS ? TestCertificate.create(folder) : null;
    Set<String> sites = new HashSet<>();
    int answered = 0;
    int failures = 0;
    try (FaultyServer server =
        new FaultyServer(
            AggregatorOptions.upTo(1 << 20), certificate == null ? null : certificate.server())) {
      while (true) {
        server.allocator.arm(failures + 1);
        String answer = exchange(server, exchange, certificate);
        StackTraceElement[] failedAt = server.allocator.disarm();
        if (exchange == Exchange.TLS && server.takeLostBytes() > 0) {
          // Netty's handler loses what it was about to encrypt, an array for the JDK's engine: see
          // docs/guide/netty.md.
          assertThat(failedAt).anyMatch(frame -> frame.getMethodName().equals("allocateOutNetBuf"));
        }
        server.assertNothingIsHeld();
        if (failedAt == null) {
          assertThat(answer).startsWith("HTTP/1.1 ").contains(" 200 ").endsWith(BODY);
          break;
        }
        failures++;
        sites.add(site(failedAt));
        answered += answer.isEmpty() ? 0 : 1;
        if (exchange == Exchange.TLS) {
          assertThat(exchange(server, exchange, certificate)).contains(" 200 ").endsWith(BODY);
        } else {
          server.assertServes();
        }
        server.assertNothingIsHeld();
      }
    }
    assertThat(failures).isGreaterThan(3);
    assertThat(sites).hasSizeGreaterThan(1);
    System.getLogger(AllocationFailureTest.class.getName())
        .log(
            System.Logger.Level.DEBUG,
            "{0}: {1} allocations at {2} sites failed, {3} exchanges had an answer",
            exchange,
            failures,
            sites.size(),
            answered);
  }

  private static String exchange(
      FaultyServer server, Exchange exchange, TestCertificate certificate) throws Exception {
    try (Socket plain = server.connect();
        Socket client =
            certificate == null
                ? plain
                : ((JdkSslContext) certificate.client())
                    .context()
                    .getSocketFactory()
                    .createSocket(plain, "localhost", plain.getPort(), /* autoClose= */ true)) {
      OutputStream output = client.getOutputStream();
      switch (exchange) {
        case DECLARED, TLS ->
            output.write(FaultyServer.request("Content-Length: " + BODY.length(), BODY));
        case EXPECTING_CONTINUE ->
            output.write(
                FaultyServer.request(
                    "Expect: 100-continue\r\nContent-Length: " + BODY.length(), BODY));
        case CHUNKED -> {
          output.write(FaultyServer.request("Transfer-Encoding: chunked", ""));
          for (int at = 0; at < BODY.length(); at += 10_000) {
            int end = Math.min(BODY.length(), at + 10_000);
            output.write(
                (Integer.toHexString(end - at) + "\r\n" + BODY.substring(at, end) + "\r\n")
                    .getBytes(US_ASCII));
          }
          output.write("0\r\n\r\n".getBytes(US_ASCII));
        }
      }
      return new String(client.getInputStream().readAllBytes(), US_ASCII);
    } catch (SocketTimeoutException neitherAnsweredNorClosed) {
      return fail(
          "nothing came of " + exchange + " after " + Arrays.toString(server.allocator.disarm()));
    } catch (IOException closed) {
      return "";
    }
  }

  /** Who asked for the buffer: the first frame that is no allocator's. */
  private static String site(StackTraceElement[] stack) {
    return Arrays.stream(stack)
        .filter(frame -> !frame.getClassName().contains("Alloc"))
        .findFirst()
        .map(StackTraceElement::toString)
        .orElseThrow();
  }
}
