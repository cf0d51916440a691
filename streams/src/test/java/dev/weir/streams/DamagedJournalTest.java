package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What is damaged in the newest journal is told from a torn end: nothing acknowledged is cut off.
 */
class DamagedJournalTest {
  @TempDir Path temporary;
  private Path directory;
  private Path journal;

  @BeforeEach
  void name() {
    directory = temporary.resolve("data");
    journal = new StoreLayout(directory).journal(1);
  }

  private long journalBytes() throws IOException {
    return Files.size(journal);
  }

  private void flip(long position) throws IOException {
    byte[] bytes = Files.readAllBytes(journal);
    bytes[(int) position] ^= 1;
    Files.write(journal, bytes);
  }

  private void assertDamageIsFound(long position) throws IOException {
    assertThatThrownBy(() -> new StoreFixture(directory).close())
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining(journal + " is damaged at byte " + position);
  }

  @Test
  void aDamagedHeaderIsDamageOnceSomethingFollowsIt() throws IOException {
    long headerBytes;
    try (StoreFixture fixture = new StoreFixture(directory)) {
      headerBytes = journalBytes();
      fixture.create("a");
      fixture.append("a", "acknowledged");
      fixture.kill();
    }
    for (long position = 0; position < headerBytes; position++) {
      flip(position);
      assertDamageIsFound(0);
      flip(position);
    }
    flip(1);
    byte[] header = Arrays.copyOf(Files.readAllBytes(journal), (int) headerBytes);
    Files.write(journal, header);
    assertDamageIsFound(0);
  }

  @Test
  void aJournalCutToNothingIsDamageOnceAnythingIsStored() throws IOException {
    appendTwice();
    byte[] whole = Files.readAllBytes(journal);
    for (int left : new int[] {0, 1, Journal.headerBytes() - 1}) {
      cut(journal, left);
      assertDamageIsFound(0);
      Files.write(journal, whole);
    }
    Files.delete(journal);
    assertThatThrownBy(() -> new StoreFixture(directory).close())
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("the WAL in " + journal.getParent() + " is missing");
    Files.write(journal, whole);
    readsBoth();
  }

  @Test
  void aDamagedFrameIsDamageOnceALaterSyncIsKnown() throws IOException {
    long start;
    long end;
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.create("a");
      start = journalBytes();
      fixture.append("a", "damaged");
      end = journalBytes();
      fixture.append("a", "acknowledged");
      fixture.kill();
    }
    for (long position = start; position < end; position++) {
      flip(position);
      assertThatThrownBy(() -> new StoreFixture(directory).close())
          .isInstanceOf(DataDirectoryException.class)
          .hasMessageContaining(journal + " is damaged at byte ");
      flip(position);
    }
    try (StoreFixture fixture = new StoreFixture(directory)) {
      assertThat(fixture.read("a")).isEqualTo("damagedacknowledged");
    }
  }

  private static CompletableFuture<AppendOutcome> append(StoreFixture fixture) {
    return fixture.store.append(
        new AppendRequest("a", "text/plain", false, null, null), fixture.inline("part "));
  }

  @Test
  void aHoleInWhatNoSyncCoveredIsATornEnd() throws IOException, InterruptedException {
    FaultyDisk disk = new FaultyDisk();
    long start;
    long frames;
    try (StoreFixture fixture = new StoreFixture(directory, disk, new AtomicLong())) {
      fixture.create("a");
      long before = journalBytes();
      append(fixture).join();
      start = journalBytes();
      frames = start - before;
      disk.pauseWrites();
      List<CompletableFuture<AppendOutcome>> answers = new ArrayList<>();
      answers.add(append(fixture));
      disk.awaitWriter();
      for (int i = 0; i < 20; i++) {
        answers.add(append(fixture));
      }
      disk.resumeWrites();
      answers.forEach(CompletableFuture::join);
      fixture.kill();
    }
    // The first had a batch of its own, the others the next, whose first frame is hit.
    flip(start + frames + 40);
    try (StoreFixture fixture = new StoreFixture(directory)) {
      assertThat(fixture.read("a")).isEqualTo("part part ");
    }
  }

  @Test
  void moreThanABatchCannotBeATornEnd() throws IOException {
    long start;
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.create("a");
      start = journalBytes();
      String part = "x".repeat(StreamStore.MAX_INLINE_BYTES);
      for (int i = 0; i < 50; i++) {
        fixture.append("a", part);
      }
      fixture.kill();
    }
    byte[] bytes = Files.readAllBytes(journal);
    Arrays.fill(bytes, (int) start, bytes.length, (byte) 0);
    Files.write(journal, bytes);
    assertDamageIsFound(start);
  }

  private void begin(long sequence) throws IOException {
    begin(sequence, /* firstPosition= */ 4);
  }

  private void begin(long sequence, long firstPosition) throws IOException {
    Journal.create(
            new LocalDisk(),
            new StoreLayout(directory),
            sequence,
            /* epoch= */ 1,
            firstPosition,
            JournalSeries.newBuffer())
        .close();
  }

  private void appendTwice() throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.create("a");
      fixture.append("a", "first");
      fixture.append("a", "second");
      fixture.kill();
    }
  }

  private static void cut(Path file, int bytes) throws IOException {
    Files.write(file, Arrays.copyOf(Files.readAllBytes(file), bytes));
  }

  /** As a kill in a rotation leaves it. */
  @Test
  void aJournalThatIsOnlyBegunGoesOn() throws IOException {
    appendTwice();
    Path whole = temporary.resolve("whole");
    Files.move(directory, whole);
    for (int headerBytes = 0; headerBytes <= Journal.headerBytes(); headerBytes++) {
      StoreFixture.copy(whole, directory);
      begin(2);
      cut(new StoreLayout(directory).journal(2), headerBytes);
      try (StoreFixture fixture = new StoreFixture(directory)) {
        assertThat(fixture.read("a")).isEqualTo("firstsecond");
        fixture.append("a", " goes on");
      }
      try (StoreFixture fixture = new StoreFixture(directory)) {
        assertThat(fixture.read("a")).isEqualTo("firstsecond goes on");
      }
      StoreFixture.delete(directory);
    }
  }

  @Test
  void aJournalCutToNothingIsDamageOnceTheNextIsBegun() throws IOException {
    appendTwice();
    begin(2);
    for (int left : new int[] {0, 1, Journal.headerBytes() - 1}) {
      byte[] whole = Files.readAllBytes(journal);
      cut(journal, left);
      assertDamageIsFound(0);
      Files.write(journal, whole);
    }
    readsBoth();
  }

  private void readsBoth() throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory)) {
      assertThat(fixture.read("a")).isEqualTo("firstsecond");
    }
  }

  @Test
  void aTornJournalIsDamageOnceTheNextIsBegun() throws IOException {
    appendTwice();
    byte[] whole = Files.readAllBytes(journal);
    Path next = new StoreLayout(directory).journal(2);
    begin(2);
    for (int headerBytes = Journal.headerBytes(); headerBytes >= 0; headerBytes--) {
      cut(next, headerBytes);
      cut(journal, whole.length - 1);
      assertThatThrownBy(() -> new StoreFixture(directory).close())
          .isInstanceOf(DataDirectoryException.class)
          .hasMessageContaining(journal + " is damaged at byte ");
      assertThat(next).exists();
      Files.write(journal, whole);
    }
    readsBoth();
  }

  @Test
  void aJournalBetweenOthersThatIsCutToNothingIsDamage() throws IOException {
    appendTwice();
    Path middle = new StoreLayout(directory).journal(2);
    begin(2);
    begin(3);
    cut(middle, 0);
    assertThatThrownBy(() -> new StoreFixture(directory).close())
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining(middle + " is damaged at byte 0");
    assertThat(middle).exists();
    assertThat(new StoreLayout(directory).journal(3)).exists();
  }

  @Test
  void aJournalThatIsOnlyBegunDoesNotHideDamage() throws IOException {
    appendTwice();
    byte[] whole = Files.readAllBytes(journal);
    begin(2);
    flip(Journal.headerBytes() + 40);
    assertThatThrownBy(() -> new StoreFixture(directory).close())
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining(journal + " is damaged at byte ");
    assertThat(new StoreLayout(directory).journal(2)).exists();
    Files.write(journal, whole);
    begin(4, /* firstPosition= */ 9);
    assertThatThrownBy(() -> new StoreFixture(directory).close())
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("a gap before " + new StoreLayout(directory).journal(4));
  }

  @Test
  void aJournalIsTornNoMoreOnceTheNextIsWrittenTo() throws IOException {
    appendTwice();
    Path next = new StoreLayout(directory).journal(2);
    begin(2);
    Files.write(next, new byte[FrameLayout.HEADER_BYTES], StandardOpenOption.APPEND);
    Files.write(journal, Arrays.copyOf(Files.readAllBytes(journal), (int) journalBytes() - 1));
    assertThatThrownBy(() -> new StoreFixture(directory).close())
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining(journal + " is damaged at byte ");
  }
}
