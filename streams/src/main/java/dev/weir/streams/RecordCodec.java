package dev.weir.streams;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How mutations (in journals) and whole streams (in snapshots) look as records. */
final class RecordCodec {
  private static final int CREATED = 1;
  private static final int APPENDED = 2;
  private static final int DELETED = 3;

  private RecordCodec() {}

  /**
   * Writes a mutation; the bytes of an append {@code inJournal} follow it, written by the caller.
   */
  static void write(Mutation mutation, RecordWriter out) {
    switch (mutation) {
      case Mutation.Created created -> {
        out.putByte(CREATED).putLong(created.streamId()).putString(created.path());
        writeConfig(created.config(), out);
        out.putLong(created.createdMillis()).putLong(created.tailOffset());
        writeSegments(created.segments(), out);
      }
      case Mutation.Appended appended -> {
        out.putByte(APPENDED).putLong(appended.streamId());
        writeSegment(appended.segment(), out);
        out.putLong(appended.offset())
            .putLong(appended.bytes())
            .putBoolean(appended.inJournal())
            .putBoolean(appended.closes())
            .putString(appended.sequence());
        writeTag(appended.producer(), out);
      }
      case Mutation.Deleted deleted -> out.putByte(DELETED).putLong(deleted.streamId());
    }
  }

  static Mutation read(RecordReader in) {
    int type = in.getByte();
    long streamId = in.getLong();
    return switch (type) {
      case CREATED -> {
        String path = in.getString();
        StreamConfig config = readConfig(in);
        long createdMillis = in.getLong();
        long tailOffset = in.getLong();
        yield new Mutation.Created(
            streamId, path, config, createdMillis, readSegments(in), tailOffset);
      }
      case APPENDED ->
          new Mutation.Appended(
              streamId,
              readSegment(in),
              in.getLong(),
              in.getLong(),
              in.getBoolean(),
              in.getBoolean(),
              in.getNullableString(),
              readTag(in));
      case DELETED -> new Mutation.Deleted(streamId);
      default -> throw new IllegalStateException("a record has the unknown type " + type);
    };
  }

  static void writeStream(
      StreamState state, Map<String, ProducerState> producers, RecordWriter out) {
    out.putLong(state.streamId()).putString(state.path());
    writeConfig(state.config(), out);
    out.putLong(state.createdMillis());
    writeSegments(state.segments(), out);
    out.putLong(state.tailOffset()).putBoolean(state.closed());
    writeTag(state.closedBy(), out);
    out.putString(state.lastSequence()).putBoolean(state.softDeleted());
    // Producers may be added meanwhile: what is written is counted from a copy.
    Map<String, ProducerState> copy = new HashMap<>(producers);
    out.putInt(copy.size());
    copy.forEach((id, producer) ->
        out.putString(id).putLong(producer.epoch()).putLong(producer.lastSequence()));
  }

  static StreamState readStream(RecordReader in, Map<String, ProducerState> producers) {
    StreamState state =
        new StreamState(
            in.getLong(),
            in.getString(),
            readConfig(in),
            in.getLong(),
            readSegments(in),
            in.getLong(),
            in.getBoolean(),
            readTag(in),
            in.getNullableString(),
            in.getBoolean());
    int count = in.getInt();
    for (int i = 0; i < count; i++) {
      producers.put(in.getString(), new ProducerState(in.getLong(), in.getLong()));
    }
    return state;
  }

  private static void writeConfig(StreamConfig config, RecordWriter out) {
    out.putString(config.contentType())
        .putLong(config.ttlSeconds())
        .putString(config.expiresAt())
        .putLong(config.expiresAtMillis());
    ForkOrigin fork = config.fork();
    out.putBoolean(fork != null);
    if (fork != null) {
      out.putLong(fork.sourceId()).putLong(fork.anchorOffset()).putLong(fork.subOffset());
    }
  }

  private static StreamConfig readConfig(RecordReader in) {
    return new StreamConfig(
        in.getString(),
        in.getLong(),
        in.getNullableString(),
        in.getLong(),
        in.getBoolean() ? new ForkOrigin(in.getLong(), in.getLong(), in.getLong()) : null);
  }

  private static void writeSegments(List<Segment> segments, RecordWriter out) {
    out.putInt(segments.size());
    segments.forEach(segment -> writeSegment(segment, out));
  }

  private static List<Segment> readSegments(RecordReader in) {
    int count = in.getInt();
    List<Segment> segments = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      segments.add(readSegment(in));
    }
    return List.copyOf(segments);
  }

  private static void writeSegment(Segment segment, RecordWriter out) {
    out.putLong(segment.fileId()).putLong(segment.startOffset()).putBoolean(segment.growing());
  }

  private static Segment readSegment(RecordReader in) {
    return new Segment(in.getLong(), in.getLong(), in.getBoolean());
  }

  private static void writeTag(@Nullable ProducerTag tag, RecordWriter out) {
    out.putBoolean(tag != null);
    if (tag != null) {
      out.putString(tag.producerId()).putLong(tag.epoch()).putLong(tag.sequence());
    }
  }

  private static @Nullable ProducerTag readTag(RecordReader in) {
    return in.getBoolean() ? new ProducerTag(in.getString(), in.getLong(), in.getLong()) : null;
  }
}
