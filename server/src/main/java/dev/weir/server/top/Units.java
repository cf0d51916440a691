package dev.weir.server.top;

import java.util.Locale;

/** Numbers for people, in few columns. */
final class Units {
  private static final String[] NAMES = {"B", "KiB", "MiB", "GiB", "TiB"};

  private Units() {}

  /** As {@code 12.3 MiB}: at most nine columns. */
  static String bytes(long bytes) {
    double value = bytes;
    int unit = 0;
    while (value >= 1000 && unit < NAMES.length - 1) {
      value /= 1024;
      unit++;
    }
    return unit == 0
        ? bytes + " B"
        : String.format(Locale.ROOT, value < 100 ? "%.1f %s" : "%.0f %s", value, NAMES[unit]);
  }

  static String count(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }

  /** As {@code 45 s}, {@code 12 min} or {@code 3 h}. */
  static String seconds(long seconds) {
    return seconds < 100
        ? seconds + " s"
        : seconds < 6_000 ? seconds / 60 + " min" : count(seconds / 3_600) + " h";
  }

  /** As {@code 48 %}. */
  static String percent(long part, long whole) {
    return whole <= 0 ? "-" : Math.round(100.0 * part / whole) + " %";
  }
}
