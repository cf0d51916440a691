package dev.weir.server.http;

import io.netty.util.AsciiString;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** The value of {@code Date} (RFC 9110, 6.6.1 and 5.6.7), made once a second. For any thread. */
final class ResponseDate {
  private static final DateTimeFormatter IMF_FIXDATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  /** Threads that meet a new second at the same time make the same value: either may stay. */
  private static volatile Made last = make(0);

  private record Made(long second, AsciiString value) {}

  private ResponseDate() {}

  static CharSequence now() {
    return at(System.currentTimeMillis());
  }

  static CharSequence at(long millis) {
    long second = Math.floorDiv(millis, 1000);
    Made made = last;
    if (made.second() != second) {
      made = make(second);
      last = made;
    }
    return made.value();
  }

  private static Made make(long second) {
    return new Made(second, new AsciiString(IMF_FIXDATE.format(Instant.ofEpochSecond(second))));
  }
}
