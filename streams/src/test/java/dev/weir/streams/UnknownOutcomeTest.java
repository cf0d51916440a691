package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A batch of which nobody knows whether it is durable: the next start finds it whole, or not. */
class UnknownOutcomeTest {
  @TempDir Path directory;
  private final FaultyDisk disk = new FaultyDisk();

  private static Payload spooled(StoreFixture fixture, String body) throws IOException {
    Spool spool = fixture.store.spool();
    spool.write(ByteBuffer.wrap(body.getBytes()));
    return spool.finish();
  }

  private static void append(StoreFixture fixture, Payload payload) throws IOException {
    fixture.append(new AppendRequest("a", "text/plain", false, null, null), payload);
  }

  /** Appends something that is acknowledged, and something that the disk fails. */
  private void appendToFailingDisk(Runnable failure, Class<? extends IOException> told)
      throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory, disk, new AtomicLong())) {
      fixture.create("a");
      fixture.append("a", "acknowledged");
      Payload payload = spooled(fixture, ", failed");
      failure.run();
      assertThatThrownBy(() -> append(fixture, payload)).isInstanceOf(told);
      fixture.kill();
    }
  }

  private void readsAfterAStart(String expected) throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory)) {
      assertThat(fixture.read("a")).isEqualTo(expected);
    }
  }

  @Test
  void aFileThatAFrameMayNameIsThereAtTheNextStart() throws IOException {
    appendToFailingDisk(disk::failSyncs, StoreFailedException.class);
    readsAfterAStart("acknowledged, failed");
  }

  @Test
  void whatWasTakenBackFromAFullDiskDoesNotReturnWhenPowerIsLost() throws IOException {
    appendToFailingDisk(disk::fillUpAtSync, StorageFullException.class);
    disk.losePower();
    readsAfterAStart("acknowledged");
  }

  @Test
  void whatCannotBeTakenBackForGoodMayReturnWhenPowerIsLost() throws IOException {
    appendToFailingDisk(
        () -> {
          disk.fillUpAtSync();
          disk.failSyncs();
        },
        StoreFailedException.class);
    disk.losePower();
    readsAfterAStart("acknowledged, failed");
  }

  @Test
  void aDeletionThatAStartFindsDoesNotComeUndoneWhenPowerIsLost() throws IOException {
    Path journal = new StoreLayout(directory).journal(1);
    Path segment;
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.create("a");
      append(fixture, spooled(fixture, "body"));
      segment = StoreFixture.spoolFiles(directory).getFirst();
      disk.leaves(journal, Files.readAllBytes(journal));
      fixture.store.delete("a").join();
      fixture.kill();
    }
    // As if killed before the sync: the file is still there.
    Files.write(segment, "body".getBytes());
    new StoreFixture(directory, disk, new AtomicLong()).close();
    assertThat(segment).doesNotExist();
    disk.losePower();
    try (StoreFixture fixture = new StoreFixture(directory)) {
      assertThat(fixture.store.find("a")).isNull();
    }
  }

  @Test
  void whatAStartFoundAfterAFailedSyncIsDurableFromThen() throws IOException {
    Path journal = new StoreLayout(directory).journal(1);
    byte[] durable;
    try (StoreFixture fixture = new StoreFixture(directory, disk, new AtomicLong())) {
      fixture.create("a");
      fixture.append("a", "acknowledged");
      durable = Files.readAllBytes(journal);
      disk.failSyncs();
      assertThatThrownBy(() -> fixture.append("a", ", failed"))
          .isInstanceOf(StoreFailedException.class);
      fixture.kill();
    }
    FaultyDisk repaired = new FaultyDisk();
    repaired.forgets(journal, durable);
    try (StoreFixture fixture = new StoreFixture(directory, repaired, new AtomicLong())) {
      assertThat(fixture.read("a")).isEqualTo("acknowledged, failed");
    }
    repaired.losePower();
    readsAfterAStart("acknowledged, failed");
  }

  @Test
  void whatIsAppendedToAJournalThatAKillLeftWithoutADurableNameStays() throws IOException {
    new StoreFixture(directory).close();
    disk.hasNoDurableName(new StoreLayout(directory).journal(1));
    try (StoreFixture fixture = new StoreFixture(directory, disk, new AtomicLong())) {
      fixture.create("a");
      fixture.append("a", "acknowledged");
    }
    disk.losePower();
    readsAfterAStart("acknowledged");
  }

  @Test
  void theDirectoriesOfAFirstStartAreThereAfterALossOfPower() throws IOException {
    StoreLayout layout = new StoreLayout(directory);
    disk.hasNoDurableName(layout.journalDirectory());
    disk.hasNoDurableName(layout.spoolDirectory());
    appendToFailingDisk(disk::failSyncs, StoreFailedException.class);
    disk.losePower();
    assertThat(layout.spoolDirectory()).exists();
    readsAfterAStart("acknowledged, failed");
  }

  /** Also where they are there already: whoever made them was killed before a start came so far. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theDirectoriesAboveThatOfAFirstStartAreThereAfterALossOfPower(boolean areMade)
      throws IOException {
    Path above = directory.resolve("above");
    Path nested = above.resolve("data");
    if (areMade) {
      Files.createDirectories(nested);
    }
    disk.hasNoDurableName(above);
    disk.hasNoDurableName(nested);
    try (StoreFixture fixture = new StoreFixture(nested, disk, new AtomicLong())) {
      fixture.create("a");
      fixture.append("a", "acknowledged");
    }
    disk.losePower();
    try (StoreFixture fixture = new StoreFixture(nested)) {
      assertThat(fixture.read("a")).isEqualTo("acknowledged");
    }
  }
}
