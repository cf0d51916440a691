package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the check of a WAL finds, and that it changes nothing. */
class WalCheckTest {
  private static final int APPENDS = 5;

  @TempDir Path directory;
  private Path journal;
  private byte[] whole;

  /** The ends of the batches, one for each append. */
  private final List<Integer> ends = new ArrayList<>();

  /** As it lies while a node runs: a clean stop flushes everything, and cuts it. */
  @BeforeEach
  void writeJournal() throws IOException {
    Path node = directory.resolve("node");
    Path written = new StoreLayout(node).journal(1);
    try (StoreFixture fixture = new StoreFixture(node)) {
      fixture.create("a");
      ends.add((int) Files.size(written));
      for (int i = 0; i < APPENDS; i++) {
        fixture.append("a", "append " + i);
        ends.add((int) Files.size(written));
      }
      whole = Files.readAllBytes(written);
    }
    journal = new StoreLayout(directory).journal(1);
    Files.createDirectories(journal.getParent());
    Files.write(journal, whole);
  }

  @Test
  void aSoundJournalHasNoDamage() throws IOException {
    WalCheck.Report report = examine();
    assertThat(report.damages()).isEmpty();
    assertThat(report.files()).isEqualTo(1);
    assertThat(report.checkedBytes()).isEqualTo(whole.length - Journal.headerBytes()).isPositive();
  }

  @Test
  void everyFlippedByteIsNoticed() throws IOException {
    for (int i = 0; i < whole.length; i++) {
      flip(i);
      WalCheck.Report report = examine();
      assertThat(report.damages().size() + report.notes().size()).as("byte %d", i).isPositive();
      Files.write(journal, whole);
    }
  }

  @Test
  void damageIsToldWithFileAndOffsetAndDoesNotHideTheNext() throws IOException {
    int first = ends.get(0);
    int second = ends.get(2);
    flip(first + 12, second + 12);
    WalCheck.Report report = examine();
    assertThat(report.damages())
        .extracting(WalCheck.Finding::file)
        .containsOnly(directory.relativize(journal).toString());
    assertThat(report.damages())
        .extracting(WalCheck.Finding::offset)
        .containsExactly((long) first, (long) second);
    assertThat(report.checkedBytes()).isPositive();
  }

  @Test
  void aTornEndIsANoteWithItsBytes() throws IOException {
    Files.write(journal, Arrays.copyOf(whole, whole.length - 1));
    WalCheck.Report report = examine();
    assertThat(report.damages()).isEmpty();
    assertThat(report.notes())
        .singleElement()
        .asString()
        .contains(journal.getFileName().toString());
  }

  @Test
  void aDamagedHeaderIsDamage() throws IOException {
    flip(3);
    assertThat(examine().damages())
        .singleElement()
        .satisfies(damage -> assertThat(damage.offset()).isZero());
  }

  @Test
  void aJournalThatIsMissingBetweenOthersIsDamage() throws IOException {
    Files.write(new StoreLayout(directory).journal(3), whole);
    assertThat(examine().damages())
        .extracting(WalCheck.Finding::file)
        .contains(directory.relativize(new StoreLayout(directory).journal(2)).toString());
  }

  @Test
  void aDirectoryIsInUseWhileANodeHasIt() throws IOException {
    assertThat(WalCheck.isInUse(directory)).isFalse();
    try (NodeLock lock = NodeLock.acquire(new StoreLayout(directory))) {
      assertThat(lock).isNotNull();
      assertThat(WalCheck.isInUse(directory)).isTrue();
    }
    assertThat(WalCheck.isInUse(directory.resolve("nothing"))).isFalse();
  }

  @Test
  void theProgressComesToTheFilesLength() throws IOException {
    List<Long> passed = new ArrayList<>();
    WalCheck.examine(directory, passed::add);
    assertThat(passed).isSorted().isNotEmpty();
    assertThat(passed.getLast()).isLessThanOrEqualTo(WalCheck.totalBytes(directory));
  }

  private void flip(int... positions) throws IOException {
    byte[] flipped = whole.clone();
    for (int position : positions) {
      flipped[position] ^= 0x10;
    }
    Files.write(journal, flipped);
  }

  private WalCheck.Report examine() throws IOException {
    byte[] before = Files.readAllBytes(journal);
    WalCheck.Report report = WalCheck.examine(directory, bytes -> {});
    assertThat(Files.readAllBytes(journal)).isEqualTo(before);
    return report;
  }
}
