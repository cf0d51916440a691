package dev.weir.streams;

import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is fixed when a stream is created.
 *
 * @param contentType as the creator wrote it
 * @param ttlSeconds idle time after which the stream expires; {@link #NONE} without
 * @param expiresAt RFC 3339 text as the creator wrote it, null without
 * @param expiresAtMillis the same instant since 1970; {@link #NONE} without
 * @param fork where the stream branched off, null when it is no fork
 */
public record StreamConfig(
    String contentType,
    long ttlSeconds,
    @Nullable String expiresAt,
    long expiresAtMillis,
    @Nullable ForkOrigin fork) {
  public static final long NONE = -1;

  /** A plain stream that never expires. */
  public static StreamConfig of(String contentType) {
    return new StreamConfig(contentType, NONE, null, NONE, null);
  }

  /** Whether two content types name the same media type; parameters and case do not count. */
  public static boolean sameMediaType(String left, String right) {
    return mediaType(left).equals(mediaType(right));
  }

  /** The media type alone, in lower case. */
  public static String mediaType(String contentType) {
    int end = contentType.indexOf(';');
    return (end < 0 ? contentType : contentType.substring(0, end)).trim().toLowerCase(Locale.ROOT);
  }

  /** Whether the stream is a sequence of JSON messages rather than bytes. */
  public boolean isJson() {
    return mediaType(contentType).equals("application/json");
  }

  /** Whether creating with {@code other} would have made the same stream. */
  boolean matches(StreamConfig other) {
    return sameMediaType(contentType, other.contentType)
        && ttlSeconds == other.ttlSeconds
        && expiresAtMillis == other.expiresAtMillis
        && Objects.equals(fork, other.fork);
  }
}
