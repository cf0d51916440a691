package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.streams.layout.DamagedObjectException;
import dev.weir.streams.manifest.CommitDraft;
import dev.weir.streams.manifest.Lifecycle;
import dev.weir.streams.manifest.PlacedExtent;
import dev.weir.streams.manifest.SegmentEntry;
import dev.weir.streams.manifest.StreamDelta;
import dev.weir.streams.manifest.StreamHeader;
import dev.weir.streams.objects.directory.DirectoryObjectStore;
import dev.weir.streams.recovery.StoreProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A stream of 100 GiB, of which only the end is there. */
class HugeStreamTest {
  private static final long GIB = 1L << 30;
  private static final long HOLE_BYTES = 100 * GIB;

  @TempDir Path directory;

  @Test
  void itsEndIsReadAndAppendedToAndWhatIsMissingIsNamed() throws IOException {
    Path objects = directory.resolve("objects");
    try (DirectoryObjectStore store = DirectoryObjectStore.open(objects)) {
      StoreProcess process = new StoreProcess(store);
      StreamHeader stream = process.create("huge");
      commitHole(process, stream);
      process.pending.freeze(process.walPosition, process.nextStreamId);
      process.append(stream, HOLE_BYTES, "the end");
      process.flush();
    }
    StoreOptions options =
        StoreOptions.embedded()
            .in(embedded -> DirectoryObjectStore.open(objects))
            .owning("here", /* takes= */ true, /* withoutItsWal= */ false);
    Path data = directory.resolve("data");
    try (StoreFixture fixture = new StoreFixture(data, options)) {
      checkAndAppend(fixture, HOLE_BYTES + 7);
    }
    try (StoreFixture fixture = new StoreFixture(data, options)) {
      checkAndAppend(fixture, HOLE_BYTES + 8);
    }
  }

  private static void checkAndAppend(StoreFixture fixture, long tailOffset) throws IOException {
    StreamState state = fixture.state("huge");
    assertThat(state.tailOffset()).isEqualTo(tailOffset);
    assertThat(fixture.read(state, HOLE_BYTES, HOLE_BYTES + 7)).isEqualTo("the end");
    assertThat(fixture.store.lastAppendStart(state, HOLE_BYTES + 3)).isEqualTo(HOLE_BYTES);
    assertThatThrownBy(() -> fixture.read(state, 5 * GIB - 1, 5 * GIB + 1))
        .hasCauseInstanceOf(DamagedObjectException.class)
        .hasMessageContaining("missing");
    fixture.append("huge", "!");
    assertThat(fixture.read(fixture.state("huge"), tailOffset - 1, tailOffset + 1)).endsWith("!");
  }

  /** Segments of a GiB that nobody has stored. */
  private static void commitHole(StoreProcess process, StreamHeader stream) throws IOException {
    List<SegmentEntry> segments = new ArrayList<>();
    List<PlacedExtent> extents = new ArrayList<>();
    for (long start = 0; start < HOLE_BYTES; start += GIB) {
      extents.add(new PlacedExtent(segments.size(), 0, start, GIB, /* startsAppend= */ false));
      segments.add(new SegmentEntry(process.recovered.log().session().nextSegment(), GIB, 0, 0));
    }
    StreamDelta delta =
        new StreamDelta(
            stream.streamId(),
            stream.shard(),
            stream,
            extents,
            HOLE_BYTES,
            /* closes= */ false,
            /* closedBy= */ null,
            /* lastSequence= */ null,
            List.of(),
            Lifecycle.UNCHANGED);
    process
        .recovered
        .log()
        .append(
            CommitDraft.flush(process.walPosition, process.nextStreamId, segments, List.of(delta)));
  }
}
