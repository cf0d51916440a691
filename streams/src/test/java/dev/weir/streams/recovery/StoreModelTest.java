package dev.weir.streams.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.streams.flush.Flush;
import dev.weir.streams.manifest.Location;
import dev.weir.streams.manifest.StreamManifest;
import dev.weir.streams.objects.NoSuchObjectException;
import dev.weir.streams.objects.ObjectStoreException;
import dev.weir.streams.objects.Requests;
import dev.weir.streams.testing.MapStore;
import dev.weir.streams.testing.MapStore.Failure;
import dev.weir.streams.testing.Seeds;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Random appends, creations, closes, deletions, forks, flushes, manifests and compactions; any call
 * to the store may be the last of its process, or fail once. What a start finds equals the model,
 * as it was at a position of the WAL: never before one that was reported as flushed.
 */
class StoreModelTest {
  @Test
  void whatIsRecoveredEqualsTheModelWhereverAProcessEnds() {
    int[] counts = new int[2];
    Seeds.forSeeds(
        StoreModelTest.class,
        60,
        random -> {
          Run run = new Run(random);
          run.run();
          counts[0] += run.restarts;
          counts[1] += run.merges;
        });
    assertThat(counts[0]).as("processes that ended early").isPositive();
    assertThat(counts[1]).as("merges").isPositive();
  }

  private static final class Run {
    private final MapStore store = new MapStore();
    private final SplittableRandom random;
    private final StreamModel model;
    private final List<PinnedRead> reads = new ArrayList<>();
    private StoreProcess process;
    private @Nullable Flush flush;
    private long flushedPosition;
    private long nowMillis = 1;
    private int restarts;
    private int merges;

    /** A reader that is slow: what it has pinned stays readable. */
    private record PinnedRead(Location location, byte[] expected) {}

    Run(SplittableRandom random) throws IOException {
      this.random = random;
      this.model = new StreamModel(random);
      this.process = open();
    }

    void run() throws IOException {
      for (int step = 0; step < 250; step++) {
        if (random.nextInt(9) == 0) {
          store.failAfter(
              random.nextInt(12),
              random.nextBoolean() ? Failure.BEFORE : Failure.AFTER,
              /* andStayDown= */ random.nextBoolean());
        }
        try {
          doSomething();
        } catch (ObjectStoreException failure) {
          assertThat(failure).isNotInstanceOf(NoSuchObjectException.class);
          store.repair();
          if (random.nextBoolean()) {
            restart();
          }
        }
        process.manifests().checkInvariants();
      }
      store.repair();
      restart();
      finishFlush();
      StoreRecovery.deleteOrphans(store, process.recovered);
      checkAgainst(model.at(model.walPosition()));
      assertThat(Doctor.examine(store).damages()).isEmpty();
      assertNoSegmentIsLeftOver();
    }

    private void doSomething() throws IOException {
      switch (random.nextInt(10)) {
        case 0, 1 -> finishFlush();
        case 2 -> compact();
        case 3 -> process.upkeep.afterFlush(nowMillis);
        case 4 -> process.recovered.manifestWriter().fold(random.nextInt(1, 5));
        case 5 -> process.recovered.log().deleteFolded();
        case 6 -> readSomething();
        default -> model.change(process.pending);
      }
    }

    private void compact() throws IOException {
      nowMillis += random.nextInt(900_000);
      process.nowMillis = nowMillis;
      int steps = random.nextInt(1, 12);
      for (int i = 0; i < steps && process.compactor.step(); i++) {
        process.manifests().checkInvariants();
      }
      merges += process.compactor.written().compactedBytes() > 0 ? 1 : 0;
      process.upkeep.afterFlush(nowMillis);
    }

    private StoreProcess open() throws IOException {
      Ownership.Claim claim =
          new Ownership.Claim(
              StoreProcess.NONCE, "here", false, /* withoutWal= */ random.nextInt(4) == 0);
      return new StoreProcess(
          store, claim, 700, /* deleteDelayMillis= */ random.nextInt(3) * 1_000);
    }

    /** Nothing of the old process is left, and starts may be cut short themselves. */
    private void restart() throws IOException {
      restarts++;
      flush = null;
      reads.clear();
      while (true) {
        if (random.nextInt(3) == 0) {
          store.failAfter(random.nextInt(30), Failure.AFTER, /* andStayDown= */ true);
        }
        try {
          process = open();
          break;
        } catch (ObjectStoreException again) {
          assertThat(again).isNotInstanceOf(NoSuchObjectException.class);
          store.repair();
        }
      }
      process.nowMillis = nowMillis;
      long recovered = process.manifests().walPosition();
      assertThat(recovered).isBetween(flushedPosition, model.walPosition());
      flushedPosition = recovered;
      store.repair();
      checkAgainst(model.at(recovered));
      model.replay(recovered, process.pending);
      if (random.nextBoolean()) {
        finishFlush();
        StoreRecovery.deleteOrphans(store, process.recovered);
      }
    }

    private void finishFlush() throws IOException {
      nowMillis += random.nextInt(500_000);
      process.nowMillis = nowMillis;
      Flush open = flush;
      if (open == null) {
        process.walPosition = model.walPosition();
        process.nextStreamId = model.nextStreamId();
        open = process.freeze();
        flush = open;
      }
      Flush.Result result = open.attempt();
      flush = null;
      process.compactor.flushed(result.segmentBytes());
      flushedPosition = result.walPosition();
      checkAgainst(model.at(flushedPosition));
    }

    private void readSomething() throws IOException {
      while (!reads.isEmpty()) {
        check(reads.removeLast());
      }
      for (StreamModel.ModelStream stream : model.at(process.manifests().walPosition()).values()) {
        int length = stream.content().length;
        if (length > 0) {
          pin(stream, random.nextInt(length), random.nextInt(length));
        }
      }
    }

    private void check(PinnedRead read) throws IOException {
      byte[] found = new byte[read.expected().length];
      String key = read.location().segment().entry().id().key();
      try {
        Requests.await(
            store.read(key, null, read.location().position(), MemorySegment.ofArray(found)));
      } finally {
        read.location().segment().unpin();
      }
      assertThat(found).isEqualTo(read.expected());
    }

    private void pin(StreamModel.ModelStream stream, int from, int to) {
      List<Location> locations =
          process
              .manifests()
              .resolve(
                  stream.header().shard(),
                  stream.header().streamId(),
                  Math.min(from, to),
                  Math.max(from, to));
      int offset = Math.min(from, to);
      assertThat(locations).isNotNull();
      for (Location location : locations) {
        int length = (int) location.lengthBytes();
        if (location.segment().tryPin()) {
          reads.add(
              new PinnedRead(
                  location, Arrays.copyOfRange(stream.content(), offset, offset + length)));
        }
        offset += length;
      }
    }

    private void checkAgainst(Map<Long, StreamModel.ModelStream> expected) throws IOException {
      List<StreamManifest> found = process.manifests().streams();
      assertThat(found)
          .extracting(StreamManifest::streamId)
          .containsExactlyInAnyOrderElementsOf(expected.keySet());
      for (StreamModel.ModelStream stream : expected.values()) {
        StreamManifest manifest =
            process.manifests().find(stream.header().shard(), stream.header().streamId());
        assertThat(manifest.header()).isEqualTo(stream.header());
        assertThat(manifest.closed()).isEqualTo(stream.closed());
        assertThat(manifest.softDeleted()).isEqualTo(stream.softDeleted());
        assertThat(manifest.lastSequence()).isEqualTo(stream.lastSequence());
        assertThat(manifest.producers()).isEqualTo(stream.producers());
        assertThat(process.read(stream.header())).isEqualTo(stream.content());
      }
    }

    private void assertNoSegmentIsLeftOver() throws IOException {
      process.dead.deleteDue(nowMillis);
      process.dead.deleteDue(nowMillis + 10_000);
      assertThat(store.keys("seg/")).hasSameSizeAs(process.manifests().segments().live());
    }
  }
}
