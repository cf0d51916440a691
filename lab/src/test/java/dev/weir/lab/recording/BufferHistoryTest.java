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
  void addressesBecomeSlotsThreadsNumbersAndGapsPauses() throws IOException {
    history.allocated(1_000, LOOP_1, 0x1000, 100);
    history.allocated(1_900, LOOP_2, 0x2000, 200);
    history.freed(4_000, LOOP_2, 0x1000);
    history.allocated(9_004_000, LOOP_1, 0x1000, 300);
    assertThat(sink.events)
        .containsExactly(
            "allocate 0 100",
            "pause 900",
            "thread 1",
            "allocate 1 200",
            "pause 2100",
            "release 0",
            "pause 9000000",
            "thread 0",
            "allocate 0 300");
  }

  @Test
  void aGrowingBufferKeepsItsSlot() throws IOException {
    history.allocated(0, LOOP_1, 0x1000, 100);
    history.reallocated(0, LOOP_1, 0x1000);
    history.allocated(0, LOOP_2, 0x5000, 7);
    history.allocated(0, LOOP_1, 0x2000, 200);
    history.freed(0, LOOP_1, 0x2000);
    assertThat(sink.events)
        .containsExactly(
            "allocate 0 100", "thread 1", "allocate 1 7", "thread 0", "grow 0 200", "release 0");
    assertThat(history.unknownEnds() + history.missedEnds()).isZero();
  }

  @Test
  void whatBeganOrEndedUnseenIsCounted() throws IOException {
    history.freed(0, LOOP_1, 0x9000);
    history.allocated(0, LOOP_1, 0x1000, 100);
    history.allocated(0, LOOP_1, 0x1000, 50);
    assertThat(sink.events)
        .containsExactly("allocate 0 100", "lost 1", "release 0", "allocate 0 50");
    assertThat(history.unknownEnds()).isEqualTo(1);
    assertThat(history.missedEnds()).isEqualTo(1);
  }

  @Test
  void blocksOlderThanTheRecordingComeFirst() throws IOException {
    OlderBlocks older = new OlderBlocks();
    older.allocated(0x1000);
    older.ended(0x9000, 700);
    older.ended(0x1000, 100);
    older.ended(0x9000, 700);
    history.begin(older.found());
    history.freed(5, LOOP_1, 0x9000);
    assertThat(sink.events).hasSize(4);
    assertThat(sink.events.getFirst()).contains("OLDER");
    assertThat(sink.events.get(1)).isEqualTo("allocate 0 700");
    assertThat(sink.events.get(2)).contains("recorded").contains("COUNTED");
    assertThat(sink.events.getLast()).isEqualTo("release 0");
  }

  @Test
  void timeThatRunsBackwardsIsNoPause() throws IOException {
    history.allocated(5_000, LOOP_1, 0x1000, 100);
    history.allocated(1_000, LOOP_1, 0x2000, 100);
    history.freed(5_000, LOOP_1, 0x1000);
    assertThat(sink.events).containsExactly("allocate 0 100", "allocate 1 100", "release 0");
  }
}
