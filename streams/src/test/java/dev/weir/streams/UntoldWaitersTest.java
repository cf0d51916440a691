package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One who waits and cannot be told takes nothing from anybody: not bytes, answers, nor the store.
 */
class UntoldWaitersTest {
  @TempDir Path directory;
  private final AtomicInteger told = new AtomicInteger();

  /** Two wait: one cannot be told, the other is counted. */
  private void await(StoreFixture fixture, long offset) {
    Stream stream = fixture.store.find("a");
    stream.await(
        offset,
        () -> {
          throw new RejectedExecutionException("made by the test");
        });
    stream.await(offset, told::incrementAndGet);
  }

  @Test
  void bytesAreThereAndEverybodyElseIsTold() throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.create("a");
      await(fixture, 0);
      Spool spool = fixture.store.spool();
      spool.write(ByteBuffer.wrap("body".getBytes()));
      fixture.append(new AppendRequest("a", "text/plain", false, null, null), spool.finish());
      assertThat(told).hasValue(1);
      fixture.append("a", ", more");
      assertThat(fixture.store.stats().isFailed()).isFalse();
      assertThat(fixture.unreleased).hasValue(0);
    }
    try (StoreFixture fixture = new StoreFixture(directory)) {
      assertThat(fixture.read("a")).isEqualTo("body, more");
    }
  }

  @Test
  void aStreamIsDeletedAndEverybodyElseIsTold() throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.create("a");
      fixture.append("a", "x");
      await(fixture, 1);
      assertThat(fixture.store.delete("a").join()).isEqualTo(DeleteOutcome.DELETED);
      assertThat(told).hasValue(1);
      assertThat(fixture.create("a")).isInstanceOf(CreateOutcome.Created.class);
    }
    assertThat(StoreFixture.segments(directory)).isEmpty();
  }
}
