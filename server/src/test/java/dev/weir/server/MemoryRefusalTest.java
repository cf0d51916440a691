package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.HttpLimits;
import dev.weir.server.http.Transport;
import dev.weir.streams.LocalDisk;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Memory is refused at each place in turn where a request takes some: it is served all the same, or
 * told so, or cut off and counted. In every case nothing is left of it, and others are served.
 */
class MemoryRefusalTest {
  private static final String FAILURES = "weir_http_failed_connections_total{reason=\"memory\"}";

  private enum Outcome {
    SERVED,
    TOLD,
    CUT
  }

  @TempDir Path directory;
  private final RefusingBuffers buffers = new RefusingBuffers();

  static Stream<Arguments> cases() {
    return HalfCloseTest.transports()
        .flatMap(transport ->
            Arrays.stream(TalkWithNode.values()).map(talk -> Arguments.of(transport, talk)));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void everyRefusalEndsWell(Transport transport, TalkWithNode talk) throws Exception {
    long budget = NodeFixture.BUDGET_BYTES;
    HttpLimits limits = HttpLimits.forBudget(budget);
    NodeParts parts = new NodeParts(new LocalDisk(), transport, limits, buffers::over);
    try (NodeFixture fixture = new NodeFixture(directory, budget, parts);
        RawClient observer = fixture.raw()) {
      TalkWithNode.prepare(observer);
      assertThat(refuseInTurn(buffers::refuse, talk, fixture, observer)).contains(Outcome.SERVED);
      assertThat(refuseInTurn(buffers::refuseFrom, talk, fixture, observer))
          .contains(Outcome.TOLD, Outcome.SERVED);
      TalkWithNode.checkUploads(observer);
    }
  }

  /** Refuses later and later, until the request has all that it needs before the first refusal. */
  private Set<Outcome> refuseInTurn(
      IntConsumer refuse, TalkWithNode talk, NodeFixture fixture, RawClient observer)
      throws IOException {
    Set<Outcome> outcomes = EnumSet.noneOf(Outcome.class);
    boolean refused = true;
    for (int n = 1; refused; n++) {
      String tail = TalkWithNode.tail(observer);
      double failuresBefore = observer.metric(FAILURES);
      refuse.accept(n);
      String answer = talk(talk, fixture, tail);
      refused = buffers.allow() > 0;
      fixture.assertNothingLeaked();
      NodeFixture.await("no other connection", () -> observer.openConnections() == 1);
      Outcome outcome = outcome(talk, answer);
      outcomes.add(outcome);
      if (outcome != Outcome.SERVED) {
        assertThat(refused).as(answer).isTrue();
        // Whoever closes a connection, a compressor say, does so before it tells of it.
        NodeFixture.await(
            "a failure counted for " + answer, () -> observer.metric(FAILURES) > failuresBefore);
      }
    }
    return outcomes;
  }

  private static String talk(TalkWithNode talk, NodeFixture fixture, String tail)
      throws IOException {
    try (RawClient client = fixture.raw()) {
      try {
        return talk.talk(fixture, client, tail);
      } catch (SocketTimeoutException hangs) {
        throw hangs;
      } catch (IOException cutOffWhileSending) {
        return client.rest();
      }
    }
  }

  private static Outcome outcome(TalkWithNode talk, String answer) {
    if (talk.isServed(answer)) {
      return Outcome.SERVED;
    }
    if (answer.startsWith("HTTP/1.1 5")) {
      assertThat(answer).startsWith("HTTP/1.1 503").contains("\r\nRetry-After: 1\r\n");
      assertThat(answer.substring(answer.indexOf("\r\n\r\n") + 4)).hasLineCount(1);
      return Outcome.TOLD;
    }
    return Outcome.CUT;
  }
}
