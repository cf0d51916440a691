package dev.weir.netty.flow;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http2.Http2FrameCodec;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The same as {@link AdmissionWaitsTest} where all channels are streams of one connection, of whose
 * window those that are not read from could take all: those whose progress gives memory back go on.
 */
class StreamWaitsTest {
  /** Memory is for one body at a time. It comes in two parts; the connection's window is three. */
  private static final int DECLARED_UNITS = 4;

  private static final int PARTS = 2;
  private static final int PART_BYTES = Streams.CONNECTION_WINDOW_BYTES / 3 / PARTS * PARTS;

  /** As much as a body: none that waits for memory is stopped by a window of its own. */
  private static final int WINDOW_BYTES = PARTS * PART_BYTES;

  private static Supplier<AdmissionWorld> world(
      boolean largestFirst, int plain, UnaryOperator<Http2FrameCodec> windows) {
    AdmissionSetup setup =
        AdmissionSetup.of(largestFirst, plain, 0)
            .withDeclared(DECLARED_UNITS, PARTS, PART_BYTES * PARTS / DECLARED_UNITS);
    return () ->
        new AdmissionWorld(
            setup, (count, initializer) -> new Streams(count, WINDOW_BYTES, windows, initializer));
  }

  @ParameterizedTest
  @CsvSource({"false, 0", "true, 1"})
  void allAreAdmittedHoweverLongTheyWait(boolean largestFirst, int plain) {
    StateSpace space = StateSpace.of(world(largestFirst, plain, Http2Windows::perStream));
    assertThat(space.states())
        .hasSizeGreaterThan(100)
        .anyMatch(state -> state.contains("body waits"));
    assertThat(space.deadEnds()).isEmpty();
  }

  /** Bodies that wait for memory use up the window of the one that has it. */
  @Test
  void withoutTheirOwnWindowsStreamsMayWaitForEver() {
    Supplier<AdmissionWorld> beginning =
        world(/* largestFirst= */ false, 0, UnaryOperator.identity());
    assertThat(StateSpace.of(beginning).deadEnds())
        .anyMatch(way -> {
          AdmissionWorld there = beginning.get();
          way.forEach(there::happen);
          return there.hasAdmitted()
              && ((Streams) there.lines).connectionWindowBytes() < PART_BYTES;
        });
  }
}
