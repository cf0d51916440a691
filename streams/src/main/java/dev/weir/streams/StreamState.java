package dev.weir.streams;

import org.jspecify.annotations.Nullable;

/**
 * All that is known of a stream at one moment, but for its producers. Published states are durable
 * and never change.
 *
 * @param streamId number of this stream, never used again
 * @param path the stream's URL path, decoded
 * @param createdMillis since 1970
 * @param ownOffset where its own bytes begin: 0, or a fork's point; those before are its source's
 * @param tailOffset bytes in the stream: the offset of the next one
 * @param closed whether the stream has ended for good
 * @param closedBy the producer append that closed it, if one did
 * @param lastSequence the highest {@code Stream-Seq}, null before the first
 * @param softDeleted deleted by its owner, and kept only because forks read its bytes
 */
public record StreamState(
    long streamId,
    String path,
    StreamConfig config,
    long createdMillis,
    long ownOffset,
    long tailOffset,
    boolean closed,
    @Nullable ProducerTag closedBy,
    @Nullable String lastSequence,
    boolean softDeleted) {
  /** What a stream takes at least, with its entries in the catalog. */
  private static final long STREAM_BYTES = 768;

  /** About how much of the Java heap the stream takes, rather too much than too little. */
  long heldBytes() {
    return STREAM_BYTES
        + stringBytes(path)
        + stringBytes(config.contentType())
        + stringBytes(config.expiresAt())
        + stringBytes(lastSequence);
  }

  /** What a string's characters take at most. */
  static long stringBytes(@Nullable String text) {
    return text == null ? 0 : 2L * text.length();
  }

  StreamState apply(Mutation.Appended append) {
    return new StreamState(
        streamId,
        path,
        config,
        createdMillis,
        ownOffset,
        append.offset() + append.bytes(),
        closed || append.closes(),
        append.closes() ? append.producer() : closedBy,
        append.sequence() != null ? append.sequence() : lastSequence,
        softDeleted);
  }

  StreamState asSoftDeleted() {
    return new StreamState(
        streamId,
        path,
        config,
        createdMillis,
        ownOffset,
        tailOffset,
        closed,
        closedBy,
        lastSequence,
        /* softDeleted= */ true);
  }
}
