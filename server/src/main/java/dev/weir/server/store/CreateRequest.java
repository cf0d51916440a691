package dev.weir.server.store;

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

  /**
   * Where to branch off. The point is resolved beforehand: the bytes of a stream never change, so
   * it stays right for as long as the source exists.
   *
   * @param sourcePath the source stream
   * @param anchorOffset the offset that the creator named; {@link #TAIL} when none
   * @param subOffset what the creator added to it: bytes, or JSON messages
   * @param pointOffset the first byte that is not inherited
   */
  public record ForkRequest(
      String sourcePath, long anchorOffset, long subOffset, long pointOffset) {
    public static final long TAIL = -1;
  }
}
