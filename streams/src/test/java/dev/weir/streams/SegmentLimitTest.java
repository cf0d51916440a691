package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A stream of too many segments would fit neither a snapshot nor, as a fork's source, a journal.
 */
class SegmentLimitTest {
  private static final int LIMIT = StreamState.MAX_SEGMENTS;
  private static final AppendOutcome APPEND_REFUSED = new AppendOutcome.TooManySegments(LIMIT);
  private static final CreateOutcome FORK_REFUSED = new CreateOutcome.TooManySegments(LIMIT);
  private static final AppendRequest TO_A = new AppendRequest("a", "text/plain", false, null, null);
  private static final Payload NOTHING = new Payload.None();

  @TempDir Path directory;

  private StoreFixture open(int segments) throws IOException {
    SegmentedStream.write(directory, "a", segments);
    return new StoreFixture(directory);
  }

  private static Payload spooled(StoreFixture fixture) throws IOException {
    Spool spool = fixture.store.spool();
    spool.write(ByteBuffer.wrap("large".getBytes(StandardCharsets.US_ASCII)));
    return spool.finish();
  }

  private static CreateOutcome fork(
      StoreFixture fixture, String path, long point, Payload payload) {
    CreateRequest.ForkRequest fork =
        CreateRequest.ForkRequest.of("a", point, 0).resolved(fixture.state("a").streamId(), point);
    CreateRequest request = CreateRequest.of(path, "text/plain").with(fork);
    return fixture.store.create(request, payload).join();
  }

  private static void assertOthersGoOn(StoreFixture fixture) throws IOException {
    assertThat(fixture.create("other")).isInstanceOf(CreateOutcome.Created.class);
    assertThat(fixture.append("other", "x")).isEqualTo(new AppendOutcome.Appended(1, false));
    assertThat(fixture.unreleased).hasValue(0);
    assertThat(fixture.store.stats().isFailed()).isFalse();
  }

  @Test
  void aStreamGetsNoSegmentAboveTheLimit() throws IOException {
    try (StoreFixture fixture = open(LIMIT - 1)) {
      assertThat(fixture.append("a", "y")).isEqualTo(new AppendOutcome.Appended(LIMIT, false));
      assertThat(fixture.append(TO_A, spooled(fixture))).isEqualTo(APPEND_REFUSED);
      assertThat(fixture.append("a", "z"))
          .as("has a segment")
          .isEqualTo(new AppendOutcome.Appended(LIMIT + 1, false));
      assertThat(fixture.append(new AppendRequest("a", null, true, null, null), NOTHING))
          .isEqualTo(new AppendOutcome.Appended(LIMIT + 1, true));
      assertOthersGoOn(fixture);
    }
    assertThat(StoreFixture.segmentFiles(directory)).isEqualTo(3);
    try (StoreFixture fixture = new StoreFixture(directory)) {
      assertThat(fixture.read("a")).endsWith("xyz").hasSize(LIMIT + 1);
    }
  }

  @Test
  void aForkGetsNoSegmentAboveTheLimit() throws IOException {
    try (StoreFixture fixture = open(LIMIT)) {
      assertThat(fork(fixture, "b", LIMIT, fixture.inline("y"))).isEqualTo(FORK_REFUSED);
      assertThat(fork(fixture, "b", LIMIT, spooled(fixture))).isEqualTo(FORK_REFUSED);
      assertThat(fixture.store.find("b")).isNull();
      assertThat(fork(fixture, "b", LIMIT - 1, fixture.inline("y")))
          .isInstanceOf(CreateOutcome.Created.class);
      assertThat(fork(fixture, "c", LIMIT, NOTHING)).isInstanceOf(CreateOutcome.Created.class);
      assertThat(fixture.append("c", "y")).as("all are shared").isEqualTo(APPEND_REFUSED);
      assertOthersGoOn(fixture);
    }
    assertThat(StoreFixture.segmentFiles(directory)).isEqualTo(3);
    try (StoreFixture fixture = new StoreFixture(directory)) {
      assertThat(fixture.read("b")).endsWith("xy").hasSize(LIMIT);
    }
  }

  /** As it was possible before there was a limit. */
  @Test
  void aForkWhoseRecordDoesNotFitTheJournalLeavesTheStoreAsItWas() throws IOException {
    try (StoreFixture fixture = open(240_000)) {
      Payload first = fixture.inline("y".repeat(StreamStore.MAX_INLINE_BYTES));
      assertThat(fork(fixture, "b", 240_000, first)).isEqualTo(FORK_REFUSED);
      assertThat(fixture.append("a", "y")).isEqualTo(APPEND_REFUSED);
      Payload again = fixture.inline("y".repeat(StreamStore.MAX_INLINE_BYTES));
      assertThat(fork(fixture, "b", LIMIT - 1, again)).isInstanceOf(CreateOutcome.Created.class);
      assertOthersGoOn(fixture);
    }
  }

  private static AppendOutcome early(StoreFixture fixture, AppendRequest request, long leastBytes) {
    Stream stream = fixture.store.find("a");
    assertThat(stream).isNotNull();
    return fixture.store.refuseEarly(stream, request, /* hasBytes= */ true, leastBytes);
  }

  @Test
  void whatNeedsASegmentIsRefusedBeforeItIsTakenUnlessItIsADuplicate() throws IOException {
    AppendRequest first =
        new AppendRequest("a", "text/plain", false, null, new ProducerTag("p", 0, 0));
    try (StoreFixture fixture = open(LIMIT - 1)) {
      assertThat(early(fixture, first, 1 << 20)).isNull();
      assertThat(fixture.append(first, fixture.inline("y")))
          .isEqualTo(new AppendOutcome.Appended(LIMIT, false));
      assertThat(early(fixture, first, 1 << 20)).isInstanceOf(AppendOutcome.Duplicate.class);
      assertThat(early(fixture, TO_A, 1 << 20)).isEqualTo(APPEND_REFUSED);
      assertThat(early(fixture, TO_A, 1)).as("has a segment").isNull();
    }
  }
}
