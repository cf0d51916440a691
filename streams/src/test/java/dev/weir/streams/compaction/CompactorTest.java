package dev.weir.streams.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.streams.manifest.Fork;
import dev.weir.streams.manifest.Location;
import dev.weir.streams.manifest.StreamHeader;
import dev.weir.streams.objects.ObjectStoreException;
import dev.weir.streams.recovery.Ownership;
import dev.weir.streams.recovery.StoreProcess;
import dev.weir.streams.segments.SegmentId;
import dev.weir.streams.testing.Flips;
import dev.weir.streams.testing.MapStore;
import dev.weir.streams.testing.MapStore.Failure;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Merges over a store: what becomes of streams, readers and old segments. */
class CompactorTest {
  private static final long HOUR = 3_600_000;

  private final MapStore store = new MapStore();
  private final List<StreamHeader> streams = new ArrayList<>();
  private StoreProcess process;

  @BeforeEach
  void flushTenTimes() throws IOException {
    process = new StoreProcess(store);
    for (int i = 0; i < 5; i++) {
      streams.add(process.create("stream " + i));
    }
    for (int flush = 0; flush < 10; flush++) {
      for (StreamHeader stream : streams) {
        process.append(stream, 4L * flush, "%03d ".formatted(flush));
      }
      process.flush();
    }
    process.nowMillis += HOUR;
  }

  @Test
  void streamsReadTheSameAndHaveOneExtentEach() throws IOException {
    String before = process.text(streams.get(3));
    compact();
    assertThat(process.text(streams.get(3))).isEqualTo(before);
    for (StreamHeader stream : streams) {
      assertThat(process.manifests().find(stream.shard(), stream.streamId()).extents().size())
          .isEqualTo(1);
    }
    process.manifests().checkInvariants();
    process.dead.deleteDue(process.nowMillis);
    assertThat(store.keys(SegmentId.PREFIX)).hasSize(1);
    assertThat(new StoreProcess(store).text(streams.get(3))).isEqualTo(before);
  }

  @Test
  void flushesMayComeBetweenTheSteps() throws IOException {
    assertThat(process.compactor.step()).isTrue();
    process.append(streams.get(0), 40, "more");
    process.pending.removed(streams.get(1).streamId(), streams.get(1).shard(), 40);
    process.flush();
    compact();
    assertThat(process.text(streams.get(0))).hasSize(44).endsWith("009 more");
    assertThat(process.manifests().streams()).hasSize(4);
    process.manifests().checkInvariants();
    new StoreProcess(store).manifests().checkInvariants();
  }

  @Test
  void aForkReadsItsSourceThroughACompaction() throws IOException {
    StreamHeader source = streams.get(2);
    StreamHeader fork =
        new StreamHeader(
            process.nextStreamId++,
            "fork",
            "text/plain",
            -1,
            null,
            -1,
            0,
            new Fork(source.streamId(), source.shard(), 10, 10, 0));
    process.pending.created(fork);
    process.append(fork, 10, "own");
    process.flush();
    compact();
    assertThat(process.text(fork)).isEqualTo("000 001 00own");
    assertThat(process.read(fork, 2, 4)).isEqualTo("0 ".getBytes());
    assertThat(process.read(fork, 9, 12)).isEqualTo("0ow".getBytes());
  }

  @Test
  void aSegmentThatSomebodyReadsStaysUntilTheReaderIsDone() throws IOException {
    StreamHeader stream = streams.get(0);
    Location read = process.manifests().resolve(stream.shard(), stream.streamId(), 0, 4).getFirst();
    assertThat(read.segment().tryPin()).isTrue();
    compact();
    process.dead.deleteDue(process.nowMillis);
    String key = read.segment().entry().id().key();
    assertThat(store.keys(SegmentId.PREFIX)).hasSize(2).contains(key);

    read.segment().unpin();
    process.dead.deleteDue(process.nowMillis);
    assertThat(store.keys(SegmentId.PREFIX)).hasSize(1).doesNotContain(key);
    assertThat(read.segment().tryPin()).isFalse();
  }

  @Test
  void oldSegmentsStayForTheDelayAndUntilTheStoreLetsThemGo() throws IOException {
    process =
        new StoreProcess(
            store, new Ownership.Claim(StoreProcess.NONCE, "here", false, false), 1 << 20, 600_000);
    process.nowMillis = 2 * HOUR;
    compact();
    process.dead.deleteDue(process.nowMillis);
    process.dead.deleteDue(process.nowMillis + 599_999);
    assertThat(store.keys(SegmentId.PREFIX)).hasSize(11);
    store.refuseDeletes();
    process.dead.deleteDue(process.nowMillis + 600_000);
    assertThat(store.keys(SegmentId.PREFIX)).hasSize(11);
    store.repair();
    process.dead.deleteDue(process.nowMillis + 600_000);
    assertThat(store.keys(SegmentId.PREFIX)).hasSize(1);
  }

  @Test
  void damageIsNotCopiedAndTheRestIsMerged() throws IOException {
    String damaged = store.keys(SegmentId.PREFIX).get(4);
    store.set(damaged, Flips.flip(store.bytes(damaged), 5));
    StoreProcess next = new StoreProcess(store);
    next.nowMillis = process.nowMillis;
    while (next.compactor.step()) {
      next.manifests().checkInvariants();
    }
    next.dead.deleteDue(next.nowMillis);
    assertThat(store.keys(SegmentId.PREFIX)).contains(damaged).hasSizeLessThan(4);
    assertThatThrownBy(() -> next.text(streams.get(0))).hasMessageContaining(damaged);
    assertThat(next.read(streams.get(0), 0, 16)).isEqualTo("000 001 002 003 ".getBytes());
  }

  @Test
  void aMergeThatFailsLeavesNothingBehindAndIsBegunAnew() throws IOException {
    // Ten segments are read, then the new one is stored.
    store.failAfter(10, Failure.AFTER, /* andStayDown= */ false);
    assertThatThrownBy(process.compactor::step).isInstanceOf(ObjectStoreException.class);
    assertThat(store.keys(SegmentId.PREFIX)).hasSize(10);
    compact();
    process.manifests().checkInvariants();
    assertThat(process.text(streams.get(4))).hasSize(40);
  }

  @Test
  void aCommitWithoutAnAnswerIsTriedAgain() throws IOException {
    assertThat(process.compactor.step()).isTrue();
    store.failAfter(0, Failure.AFTER, /* andStayDown= */ true);
    assertThatThrownBy(process.compactor::step).isInstanceOf(ObjectStoreException.class);
    store.repair();
    compact();
    assertThat(process.text(streams.get(4))).hasSize(40);
    process.dead.deleteDue(process.nowMillis);
    assertThat(store.keys(SegmentId.PREFIX)).hasSize(1);
  }

  private void compact() throws IOException {
    int steps = 0;
    while (process.compactor.step()) {
      assertThat(++steps).isLessThan(100);
    }
  }
}
