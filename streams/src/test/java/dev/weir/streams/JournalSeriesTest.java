package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeMap;
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
    JournalSeries journals =
        new JournalSeries(
            disk, layout, buffer, Journal.create(disk, layout, 1, 1, 1, buffer), new TreeMap<>());
    write(journals);
    return journals;
  }

  /** What is empty is not followed. */
  private static void write(JournalSeries journals) throws IOException {
    ByteBuffer record = new RecordWriter().putByte(1).contents();
    assertThat(journals.current().add(record, ByteBuffer.allocate(0))).isPositive();
    journals.current().commit();
  }

  private static void rotatesTo(long sequence, JournalSeries journals) throws IOException {
    journals.rotate();
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
      assertThatThrownBy(() -> journals.rotate())
          .isInstanceOf(StoreFailedException.class)
          .hasMessageContaining(next + " could be neither made nor removed");
    }
  }

  @Test
  void filesAreDeletedWhenAllInThemIsFlushed() throws IOException {
    try (JournalSeries journals = open()) {
      rotatesTo(2, journals);
      write(journals);
      write(journals);
      rotatesTo(3, journals);
      journals.cut(0);
      assertThat(layout.journal(1)).exists();
      journals.cut(2);
      assertThat(layout.journal(1)).doesNotExist();
      assertThat(layout.journal(2)).exists();
      assertThat(journals.bytes()).isGreaterThan(journals.current().sizeBytes());
      journals.cut(3);
      assertThat(layout.journal(2)).doesNotExist();
      assertThat(journals.bytes()).isEqualTo(journals.current().sizeBytes());
      assertThat(layout.journal(3)).exists();
    }
  }

  @Test
  void aFileWithoutACommandIsNotFollowed() throws IOException {
    try (JournalSeries journals = open()) {
      rotatesTo(2, journals);
      rotatesTo(2, journals);
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
