package dev.weir.streams.manifest;

import dev.weir.streams.layout.DamagedObjectException;
import dev.weir.streams.layout.Decoder;
import dev.weir.streams.layout.Encoder;
import dev.weir.streams.layout.Envelope;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * How a commit looks, inside its {@link Envelope}.
 *
 * <pre>
 * sequence 8 | nonce 16 | epoch v | session v | WAL position v | next stream id v | log start v
 * folded       256 × (sequence + 1) v
 * segments     n v, n × ( node v | epoch v | sequence v | data bytes v | generation v | created 8 )
 * deltas       n v, n × delta
 * replacements n v, n × ( stream id v | shard v | extents )
 *
 * delta        stream id v | shard v | flags 1 | [header] | extents | tail v | [closed by] | [Stream-Seq]
 *              | producers: n v, n × ( id s | epoch v | sequence v )
 * flags        bits 0–1 lifecycle, 2 created, 3 closes
 * extents      n v, [first offset v], n × ( 2 segment + 1 where an append begins v | position v | length v )
 * </pre>
 *
 * v is a varint, s a string, numbers are bytes, brackets are there or not. Each extent begins where
 * the one before ends. Deltas are sorted by stream.
 */
public final class CommitLayout {
  /** What is around it. */
  static final Envelope ENVELOPE = new Envelope("WEIRLOG1", 2);

  private static final int LIFECYCLE_MASK = 3;
  private static final int CREATED = 4;
  private static final int CLOSES = 8;

  private CommitLayout() {}

  /** The whole object. */
  public static byte[] encode(Commit commit) {
    Encoder out =
        new Encoder()
            .putLong(commit.sequence())
            .putUuid(commit.nonce())
            .putVarint(commit.epoch())
            .putVarint(commit.session())
            .putVarint(commit.walPosition())
            .putVarint(commit.nextStreamId())
            .putVarint(commit.logStart());
    for (int shard = 0; shard < Shards.COUNT; shard++) {
      out.putVarintFromMinusOne(commit.folded().of(shard));
    }
    StreamCodec.putSegments(commit.segments(), out);
    out.putVarint(commit.deltas().size());
    for (StreamDelta delta : commit.deltas()) {
      putDelta(delta, out);
    }
    out.putVarint(commit.replacements().size());
    for (Replacement replacement : commit.replacements()) {
      out.putVarint(replacement.streamId()).putVarint(replacement.shard());
      StreamCodec.putExtents(replacement.extents(), out);
    }
    return ENVELOPE.seal(out);
  }

  /**
   * The commit that an object holds.
   *
   * @throws DamagedObjectException also where it is one for another place
   */
  public static Commit decode(long sequence, byte[] object) throws DamagedObjectException {
    Decoder in = ENVELOPE.open(Commit.key(sequence), object);
    long found = in.getLong();
    if (found != sequence) {
      throw in.damaged("it is another one, " + Commit.key(found));
    }
    UUID nonce = in.getUuid();
    long epoch = in.getVarint();
    long session = in.getVarint();
    long walPosition = in.getVarint();
    long nextStreamId = in.getVarint();
    long logStart = in.getVarint();
    long[] folded = new long[Shards.COUNT];
    for (int shard = 0; shard < Shards.COUNT; shard++) {
      folded[shard] = in.getVarintFromMinusOne();
    }
    List<SegmentEntry> segments = StreamCodec.getSegments(in);
    int deltaCount = in.getCount();
    List<StreamDelta> deltas = new ArrayList<>(deltaCount);
    for (int i = 0; i < deltaCount; i++) {
      deltas.add(getDelta(segments, in));
    }
    int replacementCount = in.getCount();
    List<Replacement> replacements = new ArrayList<>(replacementCount);
    for (int i = 0; i < replacementCount; i++) {
      replacements.add(getReplacement(segments, in));
    }
    in.checkEnd();
    return new Commit(
        sequence,
        nonce,
        epoch,
        session,
        walPosition,
        nextStreamId,
        logStart,
        FoldedCommits.of(folded),
        segments,
        deltas,
        replacements);
  }

  private static void putDelta(StreamDelta delta, Encoder out) {
    StreamHeader created = delta.created();
    out.putVarint(delta.streamId())
        .putVarint(delta.shard())
        .putByte(
            delta.lifecycle().code()
                | (created != null ? CREATED : 0)
                | (delta.closes() ? CLOSES : 0));
    if (created != null) {
      StreamCodec.putHeader(created, out);
    }
    StreamCodec.putExtents(delta.extents(), out);
    out.putVarint(delta.tailOffset());
    StreamCodec.putProducer(delta.closedBy(), out);
    out.putString(delta.lastSequence()).putVarint(delta.producers().size());
    for (Producer producer : delta.producers()) {
      StreamCodec.putProducer(producer, out);
    }
  }

  private static StreamDelta getDelta(List<SegmentEntry> segments, Decoder in)
      throws DamagedObjectException {
    long streamId = in.getVarint();
    int shard = StreamCodec.getShard(in);
    int flags = in.getByte();
    Lifecycle lifecycle = Lifecycle.of(flags & LIFECYCLE_MASK);
    if (lifecycle == null || flags > (LIFECYCLE_MASK | CREATED | CLOSES)) {
      throw in.damaged("unknown flags " + flags);
    }
    StreamHeader created = (flags & CREATED) != 0 ? StreamCodec.getHeader(streamId, in) : null;
    List<PlacedExtent> extents = StreamCodec.getExtents(segments, in);
    long tailOffset = in.getVarint();
    Producer closedBy = StreamCodec.getProducer(in);
    String lastSequence = in.getNullableString();
    int count = in.getCount();
    List<Producer> producers = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      Producer producer = StreamCodec.getProducer(in);
      if (producer == null) {
        throw in.damaged("a producer has no name");
      }
      producers.add(producer);
    }
    return new StreamDelta(
        streamId,
        shard,
        created,
        extents,
        tailOffset,
        (flags & CLOSES) != 0,
        closedBy,
        lastSequence,
        producers,
        lifecycle);
  }

  private static Replacement getReplacement(List<SegmentEntry> segments, Decoder in)
      throws DamagedObjectException {
    long streamId = in.getVarint();
    int shard = StreamCodec.getShard(in);
    List<PlacedExtent> extents = StreamCodec.getExtents(segments, in);
    if (extents.isEmpty()) {
      throw in.damaged("nothing is replaced");
    }
    return new Replacement(streamId, shard, extents);
  }
}
