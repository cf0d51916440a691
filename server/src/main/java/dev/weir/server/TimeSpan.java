package dev.weir.server;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A time on the command line: 500ms, 30s, 5m or 24h. */
record TimeSpan(Duration duration) {
  private static final Pattern FORM = Pattern.compile("([0-9]{1,9})(ms|s|m|h)");

  static TimeSpan parse(String text) {
    Matcher form = FORM.matcher(text.trim());
    if (!form.matches()) {
      throw new TypeConversionException("'" + text + "' is no time; use 500ms, 30s, 5m or 24h");
    }
    long count = Long.parseLong(form.group(1));
    return new TimeSpan(
        switch (form.group(2)) {
          case "ms" -> Duration.ofMillis(count);
          case "s" -> Duration.ofSeconds(count);
          case "m" -> Duration.ofMinutes(count);
          default -> Duration.ofHours(count);
        });
  }

  /** For picocli. */
  static final class Converter implements ITypeConverter<TimeSpan> {
    @Override
    public TimeSpan convert(String value) {
      return parse(value);
    }
  }
}
