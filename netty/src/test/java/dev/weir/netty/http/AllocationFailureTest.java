package dev.weir.netty.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.weir.netty.TestCertificate;
import dev.weir.netty.TransportUnderTest;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An {@code OutOfMemoryError} at every allocation of an exchange in turn, and a failure of every
 * step of a file that a body goes to: the client gets an answer or the end of its connection, of
 * which a handler has heard why; nothing leaks, neither memory nor files; and others are served.
 */
@Timeout(120)
class AllocationFailureTest {
  private static final String BODY = "x".repeat(FaultyServer.BODY_BYTES);
  private static final int PART_BYTES = 10_000;

  private static TestCertificate certificate;

  @TempDir private Path folder;

  /** How a client tells of its body. */
  enum Sending {
    DECLARED,
    EXPECTING_CONTINUE,
    CHUNKED
  }

  /** Where bodies gather. */
  enum Gathering {
    IN_MEMORY,
    IN_FILES,
    /** Where there is no memory. */
    IN_FILES_FOR_WANT_OF_MEMORY;

    FaultyServer.Parts with(FaultyServer.Parts parts, Path folder) {
      return parts.withFiles(
          folder, this == IN_FILES ? PART_BYTES : AggregatorOptions.upTo(1).maximumBytes());
    }
  }

  @BeforeAll
  static void makeCertificate(@TempDir Path keys) throws Exception {
    certificate = TestCertificate.create(keys);
  }

  static Stream<Arguments> requests() {
    return Arrays.stream(Engine.values())
        .flatMap(engine ->
            Arrays.stream(Gathering.values())
                .flatMap(gathering ->
                    Arrays.stream(Sending.values())
                        .map(sending -> Arguments.of(engine, gathering, sending))));
  }

  /** Those that read into buffers of their own making, in the clear. */
  @ParameterizedTest
  @MethodSource("dev.weir.netty.TransportUnderTest#available")
  void everyAllocationMayFailOnEachTransport(TransportUnderTest transport) throws Exception {
    FaultyServer.Parts parts =
        FaultyServer.Parts.of(AggregatorOptions.upTo(1 << 20), /* tls= */ null).over(transport);
    failEachInTurn(parts, Engine.NONE, Sending.DECLARED);
    failEachInTurn(
        parts.withFiles(folder, FaultyServer.BODY_BYTES / 2).answering(Echo.Way.FILE_REGION),
        Engine.NONE,
        Sending.CHUNKED);
  }

  @ParameterizedTest
  @MethodSource("requests")
  void everyAllocationOfARequestMayFail(Engine engine, Gathering gathering, Sending sending)
      throws Exception {
    FaultyServer.Parts parts =
        FaultyServer.Parts.of(AggregatorOptions.upTo(1 << 20), engine.server(certificate));
    failEachInTurn(
        gathering == Gathering.IN_MEMORY ? parts : gathering.with(parts, folder), engine, sending);
  }

  /** A file region is for connections in the clear. */
  static Stream<Arguments> answers() {
    return Arrays.stream(Engine.values())
        .flatMap(engine ->
            Arrays.stream(Echo.Way.values())
                .filter(way -> way != Echo.Way.WHOLE)
                .filter(way -> way != Echo.Way.FILE_REGION || engine == Engine.NONE)
                .map(way -> Arguments.of(engine, way)));
  }

  @ParameterizedTest
  @MethodSource("answers")
  void everyAllocationOfAnAnswerMayFail(Engine engine, Echo.Way way) throws Exception {
    FaultyServer.Parts parts =
        FaultyServer.Parts.of(AggregatorOptions.upTo(1 << 20), engine.server(certificate));
    failEachInTurn(
        parts.withFiles(folder, FaultyServer.BODY_BYTES).answering(way), engine, Sending.DECLARED);
  }

  private static void failEachInTurn(FaultyServer.Parts parts, Engine engine, Sending sending)
      throws Exception {
    FailureSites sites = new FailureSites();
    try (FaultyServer server = new FaultyServer(parts)) {
      while (true) {
        server.allocator.arm(sites.failures() + 1);
        String answer = exchange(server, engine, sending);
        StackTraceElement[] failedAt = server.allocator.disarm();
        if (engine != Engine.NONE) {
          sites.checkLoss(server, failedAt);
        }
        server.assertNothingIsHeld();
        Outcome outcome = outcome(answer);
        if (failedAt == null) {
          assertThat(outcome).as(answer).isEqualTo(Outcome.SERVED);
          break;
        }
        sites.add(failedAt);
        List<Throwable> told = server.takeTold();
        if (outcome == Outcome.CUT) {
          assertThat(told).as(sites.last()).isNotEmpty();
        }
        assertThat(outcome(exchange(server, engine, sending)))
            .as("another client")
            .isEqualTo(Outcome.SERVED);
        server.assertNothingIsHeld();
      }
    }
    sites.assertMany(parts + " " + sending);
  }

  private enum Outcome {
    SERVED,
    TOLD,
    CUT
  }

  /** What comes is the answer, or its beginning, or says that there is no memory. */
  private static Outcome outcome(String answer) {
    int end = answer.indexOf("\r\n\r\n");
    if (end < 0) {
      return Outcome.CUT;
    }
    String head = answer.substring(0, end);
    String rest = answer.substring(end + 4);
    if (head.startsWith("HTTP/1.1 100 ")) {
      return outcome(rest);
    }
    if (head.startsWith("HTTP/1.1 503 ")) {
      assertThat(head).containsIgnoringCase("\r\nretry-after: ");
      return rest.endsWith("\n") ? Outcome.TOLD : Outcome.CUT;
    }
    assertThat(head).startsWith("HTTP/1.1 200 ");
    assertThat(BODY).startsWith(rest);
    return rest.length() == BODY.length() ? Outcome.SERVED : Outcome.CUT;
  }

  /** What a client gets until the end of its answer, or of its connection. */
  private static String exchange(FaultyServer server, Engine engine, Sending sending)
      throws Exception {
    StringBuilder answer = new StringBuilder();
    try (Socket plain = server.connect();
        Socket client = engine == Engine.NONE ? plain : certificate.secure(plain)) {
      try {
        send(client.getOutputStream(), sending);
      } finally {
        receive(client.getInputStream(), answer);
      }
    } catch (SocketTimeoutException neitherAnsweredNorClosed) {
      return fail("nothing came after " + Arrays.toString(server.allocator.disarm()));
    } catch (IOException closed) {
      // What came before may be all.
    }
    return answer.toString();
  }

  private static void receive(InputStream input, StringBuilder answer) throws IOException {
    byte[] bytes = new byte[16 << 10];
    do {
      int count = input.read(bytes);
      if (count < 0) {
        return;
      }
      answer.append(new String(bytes, 0, count, US_ASCII));
    } while (outcome(answer.toString()) == Outcome.CUT);
  }

  private static void send(OutputStream output, Sending sending) throws IOException {
    switch (sending) {
      case DECLARED -> output.write(FaultyServer.request("Content-Length: " + BODY.length(), BODY));
      case EXPECTING_CONTINUE ->
          output.write(
              FaultyServer.request(
                  "Expect: 100-continue\r\nContent-Length: " + BODY.length(), BODY));
      case CHUNKED -> {
        output.write(FaultyServer.request("Transfer-Encoding: chunked", ""));
        for (int at = 0; at < BODY.length(); at += PART_BYTES) {
          int end = Math.min(BODY.length(), at + PART_BYTES);
          output.write(
              (Integer.toHexString(end - at) + "\r\n" + BODY.substring(at, end) + "\r\n")
                  .getBytes(US_ASCII));
        }
        output.write("0\r\n\r\n".getBytes(US_ASCII));
      }
    }
  }
}
