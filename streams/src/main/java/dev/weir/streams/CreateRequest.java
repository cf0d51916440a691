package dev.weir.streams;

import org.jspecify.annotations.Nullable;

/**
 * What the creator of a stream asks for, besides the first bytes.
 *
 * @param contentType null: a fork takes its source's, any other stream is refused before
 * @param ttlSeconds {@link StreamConfig#NONE} without; a fork without any expiry takes its source's
 * @param expiresAt RFC 3339 text, null without
 * @param expiresAtMillis the same instant; {@link StreamConfig#NONE} without
 * @param closed whether the stream is complete with its first bytes
 * @param fork null for a stream of its own
 */
public record CreateRequest(
    String path,
    @Nullable String contentType,
    long ttlSeconds,
    @Nullable String expiresAt,
    long expiresAtMillis,
    boolean closed,
    @Nullable ForkRequest fork) {
  /** A plain stream that never expires. */
  public static CreateRequest of(String path, String contentType) {
    return new CreateRequest(
        path, contentType, StreamConfig.NONE, null, StreamConfig.NONE, /* closed= */ false, null);
  }

  /** The same stream, as a fork from a point that was resolved. */
  public CreateRequest with(ForkRequest resolved) {
    return new CreateRequest(
        path, contentType, ttlSeconds, expiresAt, expiresAtMillis, closed, resolved);
  }

  /** The same stream, as a fork from the first point that its offset may stand for. */
  CreateRequest atEarliest(@Nullable StreamState source) {
    if (fork == null || source == null) {
      return this;
    }
    long offset = fork.anchorOffset();
    return with(
        fork.resolved(
            source.streamId(), offset == ForkRequest.TAIL ? source.tailOffset() : offset));
  }

  /**
   * Where to branch off. The point is resolved beforehand, against the stream at the source's path:
   * its bytes never change, so the point stays right for as long as that stream exists. Whether the
   * path still leads to it is for the store to see.
   *
   * @param sourcePath the source stream
   * @param anchorOffset the offset that the creator named; {@link #TAIL} when none
   * @param subOffset what the creator added to it: bytes, or JSON messages
   * @param sourceId the stream that the point was resolved against; {@link #NO_STREAM} while it is
   *     not, or when there was none
   * @param pointOffset the first byte that is not inherited; without meaning without a stream
   */
  public record ForkRequest(
      String sourcePath, long anchorOffset, long subOffset, long sourceId, long pointOffset) {
    public static final long TAIL = -1;

    /** No stream has this number. */
    public static final long NO_STREAM = 0;

    /** As the creator asks for it. */
    public static ForkRequest of(String sourcePath, long anchorOffset, long subOffset) {
      return new ForkRequest(sourcePath, anchorOffset, subOffset, NO_STREAM, anchorOffset);
    }

    public ForkRequest resolved(long streamId, long offset) {
      return new ForkRequest(sourcePath, anchorOffset, subOffset, streamId, offset);
    }
  }
}
