package dev.weir.lab.recording;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.trace.RecordingSink;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class BufferHistoryTest {
  private static final long LOOP_1 = 11;
  private static final long LOOP_2 = 12;

  private final RecordingSink sink = new RecordingSink();
  private final BufferHistory history = new BufferHistory(sink, Long.MAX_VALUE);

  @Test
  void addressesBecomeSlotsAndGapsPauses() throws IOException {
    history.allocated(1_000, LOOP_1, 0x1000, 100);
    history.allocated(1_900, LOOP_2, 0x2000, 200);
    history.freed(4_000, 0x1000);
    history.allocated(9_004_000, LOOP_1, 0x1000, 300);
    assertThat(sink.events)
        .containsExactly(
            "allocate 0 100",
            "allocate 1 200",
            "pause 2100",
            "release 0",
            "pause 2000000",
            "allocate 0 300");
  }

  @Test
  void theOldMemoryOfAGrowingBufferEndsBehindTheNew() throws IOException {
    history.allocated(0, LOOP_1, 0x1000, 100);
    history.reallocated(1, LOOP_1, 0x1000);
    history.allocated(2, LOOP_2, 0x5000, 7);
    history.allocated(3, LOOP_1, 0x2000, 200);
    history.freed(4, 0x2000);
    assertThat(sink.events)
        .containsExactly(
            "allocate 0 100", "allocate 1 7", "allocate 2 200", "release 0", "release 2");
    assertThat(history.unknownEnds() + history.missedEnds()).isZero();
  }

  @Test
  void whatBeganOrEndedUnseenIsCounted() throws IOException {
    history.freed(0, 0x9000);
    history.allocated(1, LOOP_1, 0x1000, 100);
    history.allocated(2, LOOP_1, 0x1000, 50);
    assertThat(sink.events).containsExactly("allocate 0 100", "release 0", "allocate 0 50");
    assertThat(history.unknownEnds()).isEqualTo(1);
    assertThat(history.missedEnds()).isEqualTo(1);
  }

  @Test
  void timeThatRunsBackwardsIsNoPause() throws IOException {
    history.allocated(5_000, LOOP_1, 0x1000, 100);
    history.allocated(1_000, LOOP_2, 0x2000, 100);
    history.freed(5_500, 0x1000);
    assertThat(sink.events).containsExactly("allocate 0 100", "allocate 1 100", "release 0");
  }
}
