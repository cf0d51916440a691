package dev.weir.lab.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceLayoutTest {
  private static final TraceTotals TOTALS =
      new TraceTotals(7, 3, 1L << 40, 99, 1L << 35, 2, 5, 12, 1L << 33, 4, 3);

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 127, 128, 16_383, 16_384, 1L << 33, Long.MAX_VALUE})
  void numbersComeBack(long number) {
    ByteBuffer bytes = TraceLayout.buffer(9);
    TraceLayout.putNumber(bytes, number);
    assertThat(TraceLayout.takeNumber(bytes.flip())).isEqualTo(number);
    assertThat(bytes.hasRemaining()).isFalse();
  }

  @Test
  void aNumberThatIsCutOffOrTooLongIsNone() {
    ByteBuffer bytes = TraceLayout.buffer(9);
    TraceLayout.putNumber(bytes, 1L << 60);
    bytes.flip().limit(8);
    assertThat(TraceLayout.takeNumber(bytes)).isNegative();
    ByteBuffer endless = ByteBuffer.wrap(new byte[] {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0});
    assertThat(TraceLayout.takeNumber(endless)).isNegative();
  }

  @Test
  void kindsAndArgumentsComeBack() {
    for (int kind = TraceLayout.RELEASE; kind <= TraceLayout.LOST; kind++) {
      long number = TraceLayout.number(kind, 1L << 59);
      assertThat(TraceLayout.kind(number, 3)).isEqualTo(kind);
      assertThat(TraceLayout.argument(number, 3)).isEqualTo(1L << 59);
    }
    for (TracePhase.Kind kind : TracePhase.Kind.values()) {
      assertThat(TraceLayout.phaseKind(TraceLayout.code(kind))).isEqualTo(kind);
    }
    assertThat(TraceLayout.phaseKind(4)).isNull();
  }

  @Test
  void headersComeBack() {
    TraceLayout.Header header = new TraceLayout.Header(/* complete= */ true, TOTALS);
    ByteBuffer bytes = TraceLayout.encodeHeader(header);
    assertThat(bytes.remaining()).isEqualTo(TraceLayout.HEADER_BYTES);
    assertThat(TraceLayout.decodeHeader(bytes)).isEqualTo(header);
  }

  @Test
  void aHeaderOfAnotherVersionOrKindIsRefused() {
    ByteBuffer bytes = TraceLayout.encodeHeader(new TraceLayout.Header(true, TOTALS));
    assertThatThrownBy(
            () -> TraceLayout.decodeHeader(bytes.duplicate().order(bytes.order()).put(8, (byte) 3)))
        .hasMessage("is a trace of version 3; this program reads versions 1 and 2");
    bytes.put(8, (byte) 2).put(20, (byte) 77);
    assertThatThrownBy(() -> TraceLayout.decodeHeader(bytes.duplicate().order(bytes.order())))
        .hasMessageContaining("checksum");
    bytes.put(0, (byte) 'w');
    assertThatThrownBy(() -> TraceLayout.decodeHeader(bytes)).hasMessage("is no trace");
  }
}
