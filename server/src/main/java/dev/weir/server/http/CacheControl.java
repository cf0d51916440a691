package dev.weir.server.http;

import dev.weir.streams.StreamConfig;

/** How long caches may keep bytes of a stream: they never change, but the stream may be gone. */
final class CacheControl {
  private static final long MAX_AGE_SECONDS = 60;
  private static final long MAX_STALE_SECONDS = 300;

  private CacheControl() {}

  /** For an answer to a read, with which a stream's idle time begins anew. */
  static String ofRead(StreamConfig config, long nowMillis) {
    long leftSeconds = leftSeconds(config, nowMillis);
    if (leftSeconds <= 0) {
      return "no-cache";
    }
    long ageSeconds = Math.min(MAX_AGE_SECONDS, leftSeconds);
    long staleSeconds = Math.min(MAX_STALE_SECONDS, leftSeconds - ageSeconds);
    String fresh = "public, max-age=" + ageSeconds;
    return staleSeconds == 0 ? fresh : fresh + ", stale-while-revalidate=" + staleSeconds;
  }

  /** What the stream has left at least, if nobody deletes it. */
  private static long leftSeconds(StreamConfig config, long nowMillis) {
    long idleSeconds =
        config.ttlSeconds() == StreamConfig.NONE ? Long.MAX_VALUE : config.ttlSeconds();
    return config.expiresAtMillis() == StreamConfig.NONE
        ? idleSeconds
        : Math.min(idleSeconds, (config.expiresAtMillis() - nowMillis) / 1000);
  }
}
