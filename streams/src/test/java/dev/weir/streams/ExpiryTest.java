package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Streams that nobody can see any more, and their paths, which are free. */
class ExpiryTest {
  @TempDir Path directory;
  private final FaultyDisk disk = new FaultyDisk();
  private final AtomicLong now = new AtomicLong();

  private static CompletableFuture<CreateOutcome> createExpiring(
      StoreFixture fixture, String path, String text) {
    return fixture.store.create(
        new CreateRequest(path, "text/plain", 1, null, StreamConfig.NONE, false, null),
        fixture.inline(text));
  }

  @Test
  void aPathWhoseStreamHasExpiredIsFreeAlsoAfterARestart() throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory, disk, now)) {
      createExpiring(fixture, "a", "old").join();
      now.set(1000);
      assertThat(createExpiring(fixture, "a", "new").join())
          .isInstanceOf(CreateOutcome.Created.class);
      fixture.append("a", "er");
      assertThat(fixture.read("a")).isEqualTo("newer");
      assertThat(fixture.store.streamCount()).isOne();
    }
    assertThat(StoreFixture.segments(directory)).hasSize(1);
    try (StoreFixture fixture = new StoreFixture(directory, disk, now)) {
      assertThat(fixture.read("a")).isEqualTo("newer");
    }
  }

  @Test
  void whoTakesAnExpiredPathIsToldThatTheDiskIsFull() throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory, disk, now)) {
      createExpiring(fixture, "a", "old").join();
      now.set(1000);
      disk.room(3);
      assertThatThrownBy(() -> createExpiring(fixture, "a", "new").join())
          .hasCauseInstanceOf(StorageFullException.class);
      disk.room(Long.MAX_VALUE);
      assertThat(createExpiring(fixture, "a", "new").join())
          .isInstanceOf(CreateOutcome.Created.class);
      assertThat(fixture.read("a")).isEqualTo("new");
      assertThat(fixture.unreleased).hasValue(0);
    }
  }

  @Test
  void aStreamThatExpiresWhileItsPathIsTakenIsReplaced() throws IOException {
    AtomicLong looks = new AtomicLong(Long.MIN_VALUE);
    // It expires at the second look at the clock.
    Clock clock = () -> looks.incrementAndGet() >= 2 ? 1000 : 0;
    try (StreamStore store = StreamStore.open(directory, disk, clock)) {
      CreateRequest request =
          new CreateRequest("a", "text/plain", 1, null, StreamConfig.NONE, false, null);
      store.create(request, new Payload.None()).join();
      looks.set(0);
      assertThat(store.create(request, new Payload.None()).join())
          .isInstanceOfAny(CreateOutcome.Created.class, CreateOutcome.Exists.class);
    }
  }

  /** Also of one who waits for longer than a stream may be idle. */
  @Test
  void aStreamDoesNotExpireWhileAReaderWaits() throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory, disk, now)) {
      createExpiring(fixture, "a", "x").join();
      Stream stream = fixture.store.find("a");
      assertThat(stream).isNotNull();
      Stream.Wait wait = fixture.store.await(stream, 1, () -> {});
      now.set(5000);
      assertThat(fixture.store.find("a")).isSameAs(stream);
      wait.cancel();
      now.set(5999);
      assertThat(fixture.store.find("a")).isSameAs(stream);
      now.set(6000);
      assertThat(fixture.store.find("a")).isNull();
    }
  }

  /** As a reader can bring about who has found the stream before it expired. */
  @Test
  void aStreamWhoseTimeBeginsAnewWhileItsPathIsTakenIsNotLost() throws IOException {
    AtomicLong looks = new AtomicLong(Long.MIN_VALUE);
    // It has expired at the first two looks at the clock.
    Clock clock = () -> looks.get() < 0 || looks.incrementAndGet() > 2 ? 0 : 1000;
    try (StreamStore store = StreamStore.open(directory, disk, clock)) {
      CreateRequest request =
          new CreateRequest("a", "text/plain", 1, null, StreamConfig.NONE, false, null);
      store.create(request, new Payload.None()).join();
      Stream old = store.find("a");
      assertThat(old).isNotNull();
      looks.set(0);
      CreateOutcome outcome = store.create(request, new Payload.None()).join();
      assertThat(old.isRemoved()).isEqualTo(outcome instanceof CreateOutcome.Created);
    }
  }

  @Test
  void deletionsShareSyncs() throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory, disk, now)) {
      List<CompletableFuture<?>> answers = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        answers.add(createExpiring(fixture, "s" + i, "x"));
      }
      answers.forEach(CompletableFuture::join);
      answers.clear();
      now.set(1000);
      long before = fixture.store.stats().syncs();
      disk.pauseWrites();
      for (int i = 0; i < 1000; i++) {
        answers.add(
            i % 2 == 0 ? fixture.store.delete("s" + i) : createExpiring(fixture, "s" + i, "new"));
      }
      disk.resumeWrites();
      answers.forEach(CompletableFuture::join);
      assertThat(fixture.store.stats().syncs() - before).isLessThan(200);
      assertThat(fixture.store.streamCount()).isEqualTo(500);
      assertThat(fixture.read("s1")).isEqualTo("new");
    }
    assertThat(StoreFixture.segments(directory)).as("all in one").hasSize(1);
  }
}
