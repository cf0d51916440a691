package dev.weir.streams.recovery;

import dev.weir.streams.compaction.Compactor;
import dev.weir.streams.flush.Flush;
import dev.weir.streams.flush.FrozenChanges;
import dev.weir.streams.flush.PendingChanges;
import dev.weir.streams.flush.Upkeep;
import dev.weir.streams.manifest.DeadSegments;
import dev.weir.streams.manifest.Location;
import dev.weir.streams.manifest.Manifests;
import dev.weir.streams.manifest.StreamHeader;
import dev.weir.streams.manifest.StreamManifest;
import dev.weir.streams.objects.ObjectContent;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.objects.Requests;
import dev.weir.streams.segments.SegmentId;
import dev.weir.streams.segments.SegmentReader;
import dev.weir.streams.segments.SegmentReaders;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;

/** A process with a store, as a node is one: it begins by recovery, appends, and flushes. */
public final class StoreProcess {
  public static final UUID NONCE = new UUID(1, 1);

  public final ObjectStore store;
  public final StoreRecovery.Recovered recovered;
  public final SegmentReaders readers;
  public final DeadSegments dead;
  public final Upkeep upkeep;
  public final Compactor compactor;
  public final PendingChanges pending = new PendingChanges();
  public long maxSegmentBytes = Flush.MAX_SEGMENT_BYTES;
  public long walPosition;
  public long nextStreamId;
  public long nowMillis;

  public StoreProcess(ObjectStore store) throws IOException {
    this(store, new Ownership.Claim(NONCE, "here", false, false), Flush.MAX_SEGMENT_BYTES, 0);
  }

  public StoreProcess(
      ObjectStore store, Ownership.Claim claim, long maxSegmentBytes, long deleteDelayMillis)
      throws IOException {
    this.store = store;
    this.maxSegmentBytes = maxSegmentBytes;
    this.recovered = StoreRecovery.open(store, claim);
    this.readers = new SegmentReaders(store);
    this.dead = new DeadSegments(store, recovered.manifests(), readers, deleteDelayMillis);
    this.upkeep = new Upkeep(recovered.log(), recovered.manifestWriter(), dead);
    this.compactor =
        new Compactor(store, recovered.log(), readers, maxSegmentBytes, () -> nowMillis);
    this.walPosition = recovered.manifests().walPosition();
    this.nextStreamId = recovered.manifests().nextStreamId();
  }

  public Manifests manifests() {
    return recovered.manifests();
  }

  public static StreamHeader header(long streamId, String path) {
    return new StreamHeader(streamId, path, "text/plain", -1, null, -1, 0, null);
  }

  /** A new stream without bytes. */
  public StreamHeader create(String path) {
    StreamHeader header = header(nextStreamId++, path);
    walPosition++;
    pending.created(header);
    return header;
  }

  public void append(StreamHeader stream, long offset, String text) {
    append(stream, offset, text.getBytes(StandardCharsets.UTF_8));
  }

  public void append(StreamHeader stream, long offset, byte[] bytes) {
    walPosition++;
    pending.appended(
        new PendingChanges.Append(
            stream.streamId(),
            stream.shard(),
            offset,
            List.of(new ObjectContent.InMemory(MemorySegment.ofArray(bytes))),
            false,
            null,
            null));
  }

  /** What is pending, as a flush that was not attempted yet. */
  public Flush freeze() {
    FrozenChanges frozen = pending.freeze(walPosition, nextStreamId);
    return new Flush(store, recovered.log(), readers, frozen, maxSegmentBytes, () -> nowMillis);
  }

  /** Flushes everything, with what follows. */
  public Flush.Result flush() throws IOException {
    nowMillis += 1_000;
    Flush.Result result = freeze().attempt();
    compactor.flushed(result.segmentBytes());
    upkeep.afterFlush(nowMillis);
    return result;
  }

  /** What was flushed of a stream, verified. */
  public byte[] read(StreamHeader header) throws IOException {
    StreamManifest stream = manifests().find(header.shard(), header.streamId());
    if (stream == null) {
      throw new AssertionError("there is no stream " + header.path());
    }
    return read(header, 0, stream.tailOffset());
  }

  public byte[] read(StreamHeader header, long from, long to) throws IOException {
    List<Location> locations = manifests().resolve(header.shard(), header.streamId(), from, to);
    if (locations == null) {
      throw new AssertionError("there is no stream " + header.path());
    }
    byte[] bytes = new byte[(int) (to - from)];
    int read = 0;
    for (Location location : locations) {
      SegmentId id = location.segment().entry().id();
      SegmentReader reader = readers.get(id);
      reader.verify(location.position(), location.lengthBytes());
      MemorySegment target = MemorySegment.ofArray(bytes).asSlice(read, location.lengthBytes());
      Requests.await(store.read(id.key(), null, location.position(), target));
      read += (int) location.lengthBytes();
    }
    if (read != bytes.length) {
      throw new AssertionError("%d of %d bytes".formatted(read, bytes.length));
    }
    return bytes;
  }

  public String text(StreamHeader header) throws IOException {
    return new String(read(header), StandardCharsets.UTF_8);
  }
}
