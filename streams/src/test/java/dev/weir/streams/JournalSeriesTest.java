package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A rotation that fails leaves no journal behind that a start would take for the next one. */
class JournalSeriesTest {
  @TempDir Path directory;
  private final FaultyDisk disk = new FaultyDisk();
  private StoreLayout layout;
  private Path next;

  @BeforeEach
  void name() throws IOException {
    layout = new StoreLayout(directory);
    next = layout.journal(2);
    Files.createDirectories(layout.journalDirectory());
  }

  private JournalSeries open() throws IOException {
    ByteBuffer buffer = JournalSeries.newBuffer();
    Executor atOnce = Runnable::run;
    return new JournalSeries(
        disk,
        layout,
        new AtomicLong(1),
        atOnce,
        buffer,
        Journal.create(disk, layout, 1, buffer),
        new HashSet<>());
  }

  private static void rotatesTo(long sequence, JournalSeries journals) throws IOException {
    journals.rotate(new Catalog());
    assertThat(journals.current().sequence()).isEqualTo(sequence);
  }

  @Test
  void aJournalWithoutADurableNameIsRemovedAndMadeLater() throws IOException {
    try (JournalSeries journals = open()) {
      disk.failDirectorySyncsAfter(next, 1);
      rotatesTo(1, journals);
      assertThat(next).doesNotExist();
      rotatesTo(2, journals);
      assertThat(next).exists();
    }
  }

  @Test
  void aJournalThatThereIsNoRoomForIsRemovedAndMadeLater() throws IOException {
    try (JournalSeries journals = open()) {
      disk.room(Journal.headerBytes() - 1);
      rotatesTo(1, journals);
      assertThat(next).doesNotExist();
      disk.room(Long.MAX_VALUE);
      rotatesTo(2, journals);
    }
  }

  @Test
  void aJournalThatCannotBeClosedIsRemovedAsWell() throws IOException {
    JournalSeries journals = open();
    disk.failCloses();
    disk.failDirectorySyncsAfter(next, 1);
    rotatesTo(1, journals);
    assertThat(next).doesNotExist();
  }

  /** All of it is durable. */
  @Test
  void anOldJournalThatCannotBeClosedIsFollowedAllTheSame() throws IOException {
    JournalSeries journals = open();
    disk.failCloses();
    rotatesTo(2, journals);
  }

  @Test
  void whereTheNextOneMayBeLeftTheOldOneDoesNotGoOn() throws IOException {
    try (JournalSeries journals = open()) {
      disk.failDirectorySyncsAfter(next, 2);
      assertThatThrownBy(() -> journals.rotate(new Catalog()))
          .isInstanceOf(StoreFailedException.class)
          .hasMessageContaining(next + " could be neither made nor removed");
    }
  }

  private void writeVersion1() throws IOException {
    ByteBuffer header =
        new RecordWriter().putString("weir journal").putInt(1).putLong(1).contents();
    ByteBuffer frame = ByteBuffer.allocate(FrameLayout.HEADER_BYTES + header.remaining());
    FrameLayout.putHeader(
        frame, header.remaining(), FrameLayout.checksum(header, ByteBuffer.allocate(0)));
    frame.put(header);
    Files.write(layout.journal(1), frame.array());
  }

  /** A journal of version 1 is due at once. */
  @Test
  void whereTheOldOneDoesNotGoOnTheStoreTakesNoMoreChanges() throws IOException {
    writeVersion1();
    disk.failDirectorySyncsAfter(next, 2);
    try (StoreFixture fixture = new StoreFixture(directory, disk, new AtomicLong())) {
      assertThatThrownBy(() -> fixture.create("a"))
          .hasCauseInstanceOf(StoreFailedException.class)
          .hasMessageContaining("neither made nor removed");
    }
    try (StoreFixture fixture = new StoreFixture(directory)) {
      assertThat(fixture.create("a")).isInstanceOf(CreateOutcome.Created.class);
    }
  }

  /** Whoever knows that it has none can have bytes look like its marks. */
  @Test
  void aJournalWithoutAKeyIsFollowedAsSoonAsThereIsRoom() throws IOException {
    writeVersion1();
    // For no header.
    disk.room(Journal.headerBytes() - 1);
    try (StoreFixture fixture = new StoreFixture(directory, disk, new AtomicLong())) {
      assertThatThrownBy(() -> fixture.create("a".repeat(100)))
          .hasCauseInstanceOf(StorageFullException.class);
      assertThat(next).doesNotExist();
      disk.room(Long.MAX_VALUE);
      assertThat(fixture.create("a")).isInstanceOf(CreateOutcome.Created.class);
      // What follows a batch comes before the next.
      assertThat(fixture.create("b")).isInstanceOf(CreateOutcome.Created.class);
      assertThat(next).exists();
    }
  }

  @Test
  void whatAFailedAttemptLeftMakesWay() throws IOException {
    try (JournalSeries journals = open()) {
      Files.write(next, new byte[] {1});
      rotatesTo(2, journals);
    }
  }
}
