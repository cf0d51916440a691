package dev.weir.replication.net;

import io.netty.handler.codec.http.HttpHeaders;
import java.util.Locale;
import java.util.Map;

/**
 * What a source has taken, and a manifest of it does not have. It travels in headers of the
 * manifest.
 *
 * @param bytes of streams; negative where the source does not say
 * @param seconds the age of the oldest of it; 0 without any
 */
public record Lag(long bytes, double seconds) {
  /** Of a source that says nothing, as of a plain directory. */
  public static final Lag UNKNOWN = new Lag(-1, 0);

  private static final String BYTES = "Weir-Lag-Bytes";
  private static final String SECONDS = "Weir-Lag-Seconds";

  /** Whether the source says so. */
  public boolean isKnown() {
    return bytes >= 0;
  }

  /** The headers that say it. */
  public Map<String, String> headers() {
    return Map.of(
        BYTES,
        Long.toString(Math.max(0, bytes)),
        SECONDS,
        String.format(Locale.ROOT, "%.3f", seconds));
  }

  /** What headers say; unknown where they do not. */
  public static Lag of(HttpHeaders headers) {
    String bytes = headers.get(BYTES, "");
    String seconds = headers.get(SECONDS, "");
    if (!bytes.matches("[0-9]{1,18}") || !seconds.matches("[0-9]{1,12}([.][0-9]{1,9})?")) {
      return UNKNOWN;
    }
    return new Lag(Long.parseLong(bytes), Double.parseDouble(seconds));
  }
}
