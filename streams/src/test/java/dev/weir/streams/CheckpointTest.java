package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A checkpoint that breaks off leaves the journals and what they hold to the next one. */
class CheckpointTest {
  @TempDir Path directory;
  private final FaultyDisk disk = new FaultyDisk();
  private StoreLayout layout;

  @BeforeEach
  void openJournals() throws Exception {
    new StoreFixture(directory).close();
    layout = new StoreLayout(directory);
    ByteBuffer buffer = JournalSeries.newBuffer();
    Journal.create(disk, layout, 2, buffer).close();
  }

  /** The executor keeps what a task throws to itself: nobody would hear of it. */
  @Test
  void aDefectIsToldInTheLogAndTheNextOneTriesAgain() throws Exception {
    Checkpoint checkpoint = new Checkpoint(disk, layout, 2, 1, List.of(), Set.of(), file -> false);
    disk.makeWritesADefect();
    checkpoint.run();
    assertThat(checkpoint.isFinished()).isTrue();
    assertThat(layout.journal(1)).exists();
    assertThat(disk.list(layout.journalDirectory()))
        .containsExactlyInAnyOrder(layout.journal(1), layout.journal(2));
    new Checkpoint(new LocalDisk(), layout, 2, 1, List.of(), Set.of(), file -> false).run();
    assertThat(layout.journal(1)).doesNotExist();
    assertThat(layout.snapshot(2)).exists();
  }

  /** The first journal has the only copy of what somebody has deleted. */
  @Test
  void journalsStayWhereASegmentOfAStreamIsMissing() throws Exception {
    Path data = directory.resolve("data");
    StoreLayout there = new StoreLayout(data);
    try (StoreFixture fixture = new StoreFixture(data)) {
      fixture.create("a");
      fixture.append("a", "acknowledged");
      fixture.create("large");
      Path segment = there.segment(fixture.state("a").segments().getFirst().fileId());
      Files.delete(segment);
      String block = "x".repeat(StreamStore.MAX_INLINE_BYTES);
      for (long bytes = 0; bytes <= JournalSeries.ROTATE_BYTES; bytes += block.length()) {
        fixture.append("large", block);
      }
    }
    assertThat(there.journal(2)).as("a checkpoint has been made").exists();
    assertThat(there.journal(1)).exists();
    try (StoreFixture fixture = new StoreFixture(data)) {
      assertThat(fixture.read("a")).isEqualTo("acknowledged");
    }
  }

  @Test
  void journalsGoWhereASegmentIsMissingWhoseStreamWasDeleted() throws Exception {
    new Checkpoint(disk, layout, 2, 9, List.of(), Set.of(8L), file -> false).run();
    assertThat(layout.journal(1)).doesNotExist();
  }
}
