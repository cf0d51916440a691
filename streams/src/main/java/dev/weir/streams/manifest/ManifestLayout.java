package dev.weir.streams.manifest;

import dev.weir.streams.layout.DamagedObjectException;
import dev.weir.streams.layout.Decoder;
import dev.weir.streams.layout.Encoder;
import dev.weir.streams.layout.Envelope;
import java.util.ArrayList;
import java.util.List;

/**
 * How the manifest of a shard looks, inside its {@link Envelope}.
 *
 * <pre>
 * shard v | sequence v | epoch v
 * segments  n v, n × ( node v | epoch v | sequence v | data bytes v | generation v | created 8 )
 * streams   n v, n × stream
 *
 * stream    stream id v | header | flags 1 | extents | tail v | [closed by] | [Stream-Seq]
 *           | producers: n v, n × ( id s | epoch v | sequence v )
 * header    path s | content type s | TTL + 1 v | [expires at s] | expires at 8 | created 8 | 0 or 1, fork
 * fork      source id v | source shard v | point v | anchor 8 | sub-offset v
 * flags     bit 0 closed, 1 soft-deleted
 * extents   n v, [first offset v], n × ( 2 segment + 1 where an append begins v | position v | length v )
 * </pre>
 *
 * v is a varint, s a string, numbers are bytes, brackets are there or not. A fork names its source
 * and has only the extents behind its point.
 */
public final class ManifestLayout {
  /** What is around it. */
  static final Envelope ENVELOPE = new Envelope("WEIRMAN1", 2);

  private static final int CLOSED = 1;
  private static final int SOFT_DELETED = 2;

  private ManifestLayout() {}

  /** The whole object. */
  public static byte[] encode(Manifest manifest) {
    Encoder out =
        new Encoder()
            .putVarint(manifest.shard())
            .putVarint(manifest.sequence())
            .putVarint(manifest.epoch());
    StreamCodec.putSegments(manifest.segments(), out);
    out.putVarint(manifest.streams().size());
    for (Manifest.Entry stream : manifest.streams()) {
      out.putVarint(stream.header().streamId());
      StreamCodec.putHeader(stream.header(), out);
      out.putByte((stream.closed() ? CLOSED : 0) | (stream.softDeleted() ? SOFT_DELETED : 0));
      StreamCodec.putExtents(stream.extents(), out);
      out.putVarint(stream.tailOffset());
      StreamCodec.putProducer(stream.closedBy(), out);
      out.putString(stream.lastSequence()).putVarint(stream.producers().size());
      for (Producer producer : stream.producers()) {
        StreamCodec.putProducer(producer, out);
      }
    }
    return ENVELOPE.seal(out);
  }

  /**
   * The manifest that an object holds.
   *
   * @throws DamagedObjectException also where it is another shard's
   */
  public static Manifest decode(int shard, byte[] object) throws DamagedObjectException {
    Decoder in = ENVELOPE.open(Shards.key(shard), object);
    int found = StreamCodec.getShard(in);
    if (found != shard) {
      throw in.damaged("it is another one, " + Shards.key(found));
    }
    long sequence = in.getVarint();
    long epoch = in.getVarint();
    List<SegmentEntry> segments = StreamCodec.getSegments(in);
    int count = in.getCount();
    List<Manifest.Entry> streams = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      streams.add(getStream(segments, in));
    }
    in.checkEnd();
    return new Manifest(shard, sequence, epoch, segments, streams);
  }

  private static Manifest.Entry getStream(List<SegmentEntry> segments, Decoder in)
      throws DamagedObjectException {
    StreamHeader header = StreamCodec.getHeader(in.getVarint(), in);
    int flags = in.getByte();
    if (flags > (CLOSED | SOFT_DELETED)) {
      throw in.damaged("unknown flags " + flags);
    }
    List<PlacedExtent> extents = StreamCodec.getExtents(segments, in);
    long tailOffset = in.getVarint();
    long start = extents.isEmpty() ? header.ownOffset() : extents.getFirst().startOffset();
    long end = extents.isEmpty() ? start : extents.getLast().endOffset();
    if (start != header.ownOffset() || end != tailOffset) {
      throw in.damaged("the extents of stream %s do not cover it".formatted(header.path()));
    }
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
    return new Manifest.Entry(
        header,
        extents,
        tailOffset,
        (flags & CLOSED) != 0,
        closedBy,
        lastSequence,
        (flags & SOFT_DELETED) != 0,
        producers);
  }
}
