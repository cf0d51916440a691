package dev.weir.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
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
    Checkpoint checkpoint = new Checkpoint(disk, layout, 2, 1, List.of(), Set.of());
    disk.makeWritesADefect();
    checkpoint.run();
    assertThat(checkpoint.isFinished()).isTrue();
    assertThat(layout.journal(1)).exists();
    assertThat(disk.list(layout.journalDirectory()))
        .containsExactlyInAnyOrder(layout.journal(1), layout.journal(2));
    new Checkpoint(new LocalDisk(), layout, 2, 1, List.of(), Set.of()).run();
    assertThat(layout.journal(1)).doesNotExist();
    assertThat(layout.snapshot(2)).exists();
  }
}
