package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Deletions get through on a disk that is too full for what they share a batch with. */
class FullDiskDeletionTest {
  private static final int MARK_BYTES = FrameLayout.HEADER_BYTES + SyncMark.BODY_BYTES;

  /** A mutation's type, and the stream's number. */
  private static final int DELETION_BYTES = FrameLayout.HEADER_BYTES + 1 + Long.BYTES;

  @TempDir Path directory;
  private final FaultyDisk disk = new FaultyDisk();
  private StoreFixture fixture;

  @BeforeEach
  void open() throws IOException {
    fixture = new StoreFixture(directory, disk, new AtomicLong());
    fixture.create("a");
    fixture.create("first");
    fixture.create("deleted");
    fixture.append("deleted", "bytes");
  }

  @AfterEach
  void close() throws IOException {
    disk.resumeWrites();
    fixture.close();
  }

  private CompletableFuture<AppendOutcome> append(String text) {
    return fixture.store.append(
        new AppendRequest("a", "text/plain", false, null, null), fixture.inline(text));
  }

  /** Has a batch of one deletion wait for the disk: what is sent from here on is the next batch. */
  private void gather() throws InterruptedException {
    disk.pauseWrites();
    CompletableFuture<DeleteOutcome> _ = fixture.store.delete("first");
    disk.awaitWriter();
  }

  private void goOnWithRoomFor(long bytes) {
    disk.room(MARK_BYTES + DELETION_BYTES + bytes);
    disk.resumeWrites();
  }

  private static void assertNoRoom(CompletableFuture<?> answer) {
    assertThatThrownBy(answer::join).hasCauseInstanceOf(StorageFullException.class);
  }

  @Test
  void aDeletionDoesNotFailWithTheAppendsOfItsBatch() throws Exception {
    gather();
    List<CompletableFuture<AppendOutcome>> appends = new ArrayList<>();
    appends.add(append("x".repeat(1000)));
    CompletableFuture<DeleteOutcome> deletion = fixture.store.delete("deleted");
    appends.add(append("x".repeat(1000)));
    appends.add(append("x".repeat(1000)));
    goOnWithRoomFor(2000);
    assertThat(deletion.join()).isEqualTo(DeleteOutcome.DELETED);
    appends.forEach(FullDiskDeletionTest::assertNoRoom);
    assertThat(fixture.unreleased).hasValue(0);
    assertThat(fixture.store.find("deleted")).isNull();
    disk.room(Long.MAX_VALUE);
    fixture.append("a", "later");
    fixture.close();
    fixture = new StoreFixture(directory);
    assertThat(fixture.store.find("deleted")).isNull();
    assertThat(fixture.read("a")).isEqualTo("later");
  }

  @Test
  void aDeletionHasTheRoomThatAppendsHadTaken() throws Exception {
    fixture.append("a", "kept");
    gather();
    CompletableFuture<AppendOutcome> append = append("x".repeat(1000));
    CompletableFuture<DeleteOutcome> deletion = fixture.store.delete("deleted");
    CompletableFuture<AppendOutcome> another = append("x".repeat(1000));
    goOnWithRoomFor(2000);
    assertThat(deletion.join()).isEqualTo(DeleteOutcome.DELETED);
    assertNoRoom(append);
    assertNoRoom(another);
    assertThat(fixture.read("a")).isEqualTo("kept");
    disk.room(Long.MAX_VALUE);
    fixture.append("a", ", later");
    assertThat(fixture.read("a")).isEqualTo("kept, later");
  }

  @Test
  void everyCommandIsAnsweredThoughAPayloadCannotBeGivenBack() throws Exception {
    gather();
    InternalError madeHere = new InternalError("made by the test");
    Payload stuck =
        new Payload.Inline(
            ByteBuffer.wrap(new byte[1000]),
            () -> {
              throw madeHere;
            });
    CompletableFuture<AppendOutcome> append =
        fixture.store.append(new AppendRequest("a", "text/plain", false, null, null), stuck);
    CompletableFuture<DeleteOutcome> deletion = fixture.store.delete("deleted");
    CompletableFuture<AppendOutcome> another = append("x".repeat(1000));
    goOnWithRoomFor(2000);
    assertThat(deletion.get(30, TimeUnit.SECONDS)).isEqualTo(DeleteOutcome.DELETED);
    assertNoRoom(append.orTimeout(30, TimeUnit.SECONDS));
    assertNoRoom(another.orTimeout(30, TimeUnit.SECONDS));
    assertThat(fixture.unreleased).hasValue(0);
  }

  @Test
  void deletionsThatThereIsNoRoomForTogetherAreDoneOneByOne() throws Exception {
    for (int i = 0; i < 20; i++) {
      fixture.create("empty" + i);
    }
    gather();
    List<CompletableFuture<DeleteOutcome>> deletions = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      deletions.add(fixture.store.delete("empty" + i));
    }
    int truncations = disk.truncations();
    goOnWithRoomFor(3 * (MARK_BYTES + DELETION_BYTES) - 1);
    assertThat(deletions.get(0).join()).isEqualTo(DeleteOutcome.DELETED);
    assertThat(deletions.get(1).join()).isEqualTo(DeleteOutcome.DELETED);
    deletions.subList(2, 20).forEach(FullDiskDeletionTest::assertNoRoom);
    assertThat(disk.truncations() - truncations).as("all, and the third").isEqualTo(2);
    disk.room(Long.MAX_VALUE);
    assertThat(fixture.store.delete("empty2").join()).isEqualTo(DeleteOutcome.DELETED);
  }

  @Test
  void aDeletionThatThereIsNoRoomForIsAnswered() throws Exception {
    gather();
    CompletableFuture<DeleteOutcome> deletion = fixture.store.delete("deleted");
    goOnWithRoomFor(0);
    assertNoRoom(deletion);
    assertThat(fixture.read("deleted")).isEqualTo("bytes");
  }

  @Test
  void whatIsNotForWantOfRoomStillStopsTheStore() throws Exception {
    gather();
    CompletableFuture<AppendOutcome> append = append("x");
    CompletableFuture<DeleteOutcome> deletion = fixture.store.delete("deleted");
    disk.failSyncs();
    disk.resumeWrites();
    assertThatThrownBy(append::join).hasCauseInstanceOf(StoreFailedException.class);
    assertThatThrownBy(deletion::join).hasCauseInstanceOf(StoreFailedException.class);
  }
}
