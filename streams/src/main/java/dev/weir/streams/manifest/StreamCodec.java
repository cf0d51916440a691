package dev.weir.streams.manifest;

import dev.weir.streams.layout.DamagedObjectException;
import dev.weir.streams.layout.Decoder;
import dev.weir.streams.layout.Encoder;
import dev.weir.streams.segments.SegmentId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The parts that commits and manifests have in common. */
final class StreamCodec {
  private StreamCodec() {}

  static void putHeader(StreamHeader header, Encoder out) {
    out.putString(header.path())
        .putString(header.contentType())
        .putVarintFromMinusOne(header.ttlSeconds())
        .putString(header.expiresAt())
        .putLong(header.expiresAtMillis())
        .putLong(header.createdMillis());
    Fork fork = header.fork();
    out.putBoolean(fork != null);
    if (fork != null) {
      out.putVarint(fork.sourceId())
          .putVarint(fork.sourceShard())
          .putVarint(fork.pointOffset())
          .putLong(fork.anchorOffset())
          .putVarint(fork.subOffset());
    }
  }

  static StreamHeader getHeader(long streamId, Decoder in) throws DamagedObjectException {
    return new StreamHeader(
        streamId,
        in.getString(),
        in.getString(),
        in.getVarintFromMinusOne(),
        in.getNullableString(),
        in.getLong(),
        in.getLong(),
        in.getBoolean() ? getFork(in) : null);
  }

  private static Fork getFork(Decoder in) throws DamagedObjectException {
    return new Fork(in.getVarint(), getShard(in), in.getVarint(), in.getLong(), in.getVarint());
  }

  static int getShard(Decoder in) throws DamagedObjectException {
    int shard = in.getVarint31();
    if (shard >= Shards.COUNT) {
      throw in.damaged("there is no shard " + shard);
    }
    return shard;
  }

  static void putProducer(@Nullable Producer producer, Encoder out) {
    out.putString(producer == null ? null : producer.id());
    if (producer != null) {
      out.putVarint(producer.epoch()).putVarint(producer.lastSequence());
    }
  }

  static @Nullable Producer getProducer(Decoder in) throws DamagedObjectException {
    String id = in.getNullableString();
    return id == null ? null : new Producer(id, in.getVarint(), in.getVarint());
  }

  static void putSegments(List<SegmentEntry> segments, Encoder out) {
    out.putVarint(segments.size());
    for (SegmentEntry segment : segments) {
      out.putVarint(segment.id().node())
          .putVarint(segment.id().epoch())
          .putVarint(segment.id().sequence())
          .putVarint(segment.dataBytes())
          .putVarint(segment.generation())
          .putLong(segment.createdMillis());
    }
  }

  static List<SegmentEntry> getSegments(Decoder in) throws DamagedObjectException {
    int count = in.getCount();
    List<SegmentEntry> segments = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      SegmentId id = new SegmentId(in.getVarint31(), in.getVarint(), in.getVarint());
      segments.add(new SegmentEntry(id, in.getVarint(), in.getVarint31(), in.getLong()));
    }
    return segments;
  }

  /** Extents that follow each other without a gap, the first from {@code startOffset} on. */
  static void putExtents(List<PlacedExtent> extents, Encoder out) {
    out.putVarint(extents.size());
    if (!extents.isEmpty()) {
      out.putVarint(extents.getFirst().startOffset());
    }
    for (PlacedExtent extent : extents) {
      out.putVarint(2L * extent.segment() + (extent.startsAppend() ? 1 : 0))
          .putVarint(extent.position())
          .putVarint(extent.lengthBytes());
    }
  }

  static List<PlacedExtent> getExtents(List<SegmentEntry> segments, Decoder in)
      throws DamagedObjectException {
    int count = in.getCount();
    List<PlacedExtent> extents = new ArrayList<>(count);
    long offset = count > 0 ? in.getVarint() : 0;
    for (int i = 0; i < count; i++) {
      int segment = in.getVarint31();
      PlacedExtent extent =
          new PlacedExtent(segment / 2, in.getVarint(), offset, in.getVarint(), segment % 2 == 1);
      if (extent.segment() >= segments.size()
          || extent.lengthBytes() == 0
          || extent.position() + extent.lengthBytes()
              > segments.get(extent.segment()).dataBytes()) {
        throw in.damaged("an extent lies in no segment");
      }
      extents.add(extent);
      offset = extent.endOffset();
    }
    return extents;
  }
}
