package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A stream takes producers up to the limit, whoever shares a batch with the last of them. */
class ProducerLimitTest {
  @TempDir Path directory;

  private static AppendRequest request(int producer, long sequence) {
    ProducerTag tag = new ProducerTag("p" + producer, 0, sequence);
    return new AppendRequest("a", "text/plain", false, null, tag);
  }

  private static CompletableFuture<AppendOutcome> append(
      StoreFixture fixture, int producer, long sequence) {
    return fixture.store.append(request(producer, sequence), fixture.inline("x"));
  }

  private static AppendOutcome early(StoreFixture fixture, int producer, long sequence) {
    Stream stream = fixture.store.find("a");
    return fixture.store.refuseEarly(stream, request(producer, sequence), /* hasBytes= */ true);
  }

  @Test
  void producersThatAreKnownCountOnce() throws Exception {
    FaultyDisk disk = new FaultyDisk();
    try (StoreFixture fixture = new StoreFixture(directory, disk, new AtomicLong())) {
      fixture.create("a");
      List<CompletableFuture<AppendOutcome>> answers = new ArrayList<>();
      for (int i = 0; i < Stream.MAX_PRODUCERS - 1; i++) {
        answers.add(append(fixture, i, 0));
      }
      answers.forEach(CompletableFuture::join);
      disk.pauseWrites();
      CompletableFuture<AppendOutcome> first = append(fixture, 0, 1);
      disk.awaitWriter();
      CompletableFuture<AppendOutcome> known = append(fixture, 1, 1);
      CompletableFuture<AppendOutcome> last = append(fixture, Stream.MAX_PRODUCERS, 0);
      CompletableFuture<AppendOutcome> oneTooMany = append(fixture, Stream.MAX_PRODUCERS + 1, 0);
      disk.resumeWrites();
      assertThat(first.join()).isInstanceOf(AppendOutcome.Appended.class);
      assertThat(known.join()).isInstanceOf(AppendOutcome.Appended.class);
      assertThat(last.join()).isInstanceOf(AppendOutcome.Appended.class);
      assertThat(oneTooMany.join())
          .isEqualTo(new AppendOutcome.TooManyProducers(Stream.MAX_PRODUCERS));
      assertThat(early(fixture, Stream.MAX_PRODUCERS + 1, 0))
          .as("before its body is taken")
          .isEqualTo(new AppendOutcome.TooManyProducers(Stream.MAX_PRODUCERS));
      assertThat(early(fixture, 0, 2)).isNull();
      assertThat(early(fixture, Stream.MAX_PRODUCERS, 0))
          .isInstanceOf(AppendOutcome.Duplicate.class);
    }
  }
}
