package dev.weir.streams.protocol;

import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The number that live readers echo, so that caches see a new URL as time goes on: twenty-second
 * intervals since 2024-10-09. It never goes back, and never repeats to a client that echoes it.
 */
public final class Cursor {
  private static final long EPOCH_MILLIS = Instant.parse("2024-10-09T00:00:00Z").toEpochMilli();
  private static final long INTERVAL_SECONDS = 20;
  private static final int MAX_JITTER_SECONDS = 3600;

  private Cursor() {}

  /** The cursor to answer with; {@code echoed} is what the client sent, null or anything. */
  public static String next(@Nullable String echoed, long nowMillis) {
    long current = interval(nowMillis);
    long theirs = parse(echoed);
    if (theirs < current) {
      return Long.toString(current);
    }
    int jitterSeconds = ThreadLocalRandom.current().nextInt(MAX_JITTER_SECONDS) + 1;
    return Long.toString(theirs + Math.ceilDiv(jitterSeconds, INTERVAL_SECONDS));
  }

  /** The cursor of a later event in the same answer; {@code sent} is that of the one before. */
  public static String after(String sent, long nowMillis) {
    return Long.toString(Math.max(interval(nowMillis), Long.parseLong(sent)));
  }

  private static long interval(long nowMillis) {
    return (nowMillis - EPOCH_MILLIS) / (INTERVAL_SECONDS * 1000);
  }

  private static long parse(@Nullable String echoed) {
    // More than fifteen digits is no cursor of ours, and must not overflow.
    if (echoed == null || echoed.isEmpty() || echoed.length() > 15) {
      return -1;
    }
    for (int i = 0; i < echoed.length(); i++) {
      if (echoed.charAt(i) < '0' || echoed.charAt(i) > '9') {
        return -1;
      }
    }
    return Long.parseLong(echoed);
  }
}
