package dev.weir.streams;

import org.jspecify.annotations.Nullable;

/** How mutations look as records. */
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
      }
      case Mutation.Appended appended -> {
        out.putByte(APPENDED)
            .putLong(appended.streamId())
            .putLong(appended.offset())
            .putLong(appended.bytes())
            .putLong(appended.spoolId())
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
        yield new Mutation.Created(streamId, path, config, createdMillis, tailOffset);
      }
      case APPENDED ->
          new Mutation.Appended(
              streamId,
              in.getLong(),
              in.getLong(),
              in.getLong(),
              in.getBoolean(),
              in.getNullableString(),
              readTag(in));
      case DELETED -> new Mutation.Deleted(streamId);
      default -> throw new IllegalStateException("a record has the unknown type " + type);
    };
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
