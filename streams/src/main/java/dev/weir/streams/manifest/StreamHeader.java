package dev.weir.streams.manifest;

import org.jspecify.annotations.Nullable;

/**
 * What is fixed when a stream is created.
 *
 * @param streamId at least 1, never used again
 * @param path the stream's name
 * @param ttlSeconds -1 without
 * @param expiresAt as the creator wrote it; null without
 * @param expiresAtMillis the same since 1970; -1 without
 * @param createdMillis since 1970
 * @param fork null for a stream that is no fork
 */
public record StreamHeader(
    long streamId,
    String path,
    String contentType,
    long ttlSeconds,
    @Nullable String expiresAt,
    long expiresAtMillis,
    long createdMillis,
    @Nullable Fork fork) {
  /** Where the stream's own bytes begin. */
  public long ownOffset() {
    return fork == null ? 0 : fork.pointOffset();
  }

  /** The shard of the stream's manifest. */
  public int shard() {
    return Shards.of(path);
  }
}
