package dev.weir.lab.subject;

import dev.weir.memory.PoolOptions;
import dev.weir.memory.purge.PurgePolicy;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.regex.Pattern;

/**
 * Settings of a pool, to see what they change.
 *
 * @param dense whether the preset is {@code dense}, or else {@code balanced}
 * @param decay how long free pages may stay; the pool's own if there is none
 * @param share how much may be resident beyond what is live; the preset's if there is none
 */
public record WeirSettings(boolean dense, Optional<Duration> decay, OptionalDouble share) {
  private static final String RULE =
      "decay=TIME from 10ms to 1d, share=X from 0 to 1, and preset=balanced or dense";

  private static final Pattern COMMA = Pattern.compile(",");

  /** A preset as it is. */
  static WeirSettings preset(boolean dense) {
    return new WeirSettings(dense, Optional.empty(), OptionalDouble.empty());
  }

  /**
   * Parses {@code decay=250ms,share=0.02,preset=dense}, or some of these.
   *
   * @throws IllegalArgumentException if the text is something else
   */
  public static WeirSettings parse(String text) {
    WeirSettings settings = preset(/* dense= */ false);
    try {
      for (String part : COMMA.splitAsStream(text).toList()) {
        settings = settings.with(part.strip());
      }
      settings.options(1 << 20);
    } catch (IllegalArgumentException malformed) {
      throw new IllegalArgumentException("'" + text + "' is not " + RULE, malformed);
    }
    return settings;
  }

  private WeirSettings with(String part) {
    int equals = part.indexOf('=');
    String value = part.substring(equals + 1);
    return switch (part.substring(0, Math.max(0, equals))) {
      case "decay" -> new WeirSettings(dense, Optional.of(time(value)), share);
      case "share" -> new WeirSettings(dense, decay, OptionalDouble.of(Double.parseDouble(value)));
      case "preset" -> {
        if (!value.equals("dense") && !value.equals("balanced")) {
          throw new IllegalArgumentException(value);
        }
        yield new WeirSettings(value.equals("dense"), decay, share);
      }
      default -> throw new IllegalArgumentException(part);
    };
  }

  private static Duration time(String text) {
    String lower = text.toLowerCase(Locale.ROOT);
    int digits = 0;
    while (digits < lower.length() && Character.isDigit(lower.charAt(digits))) {
      digits++;
    }
    long number = Long.parseLong(lower.substring(0, digits));
    return switch (lower.substring(digits)) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      case "h" -> Duration.ofHours(number);
      case "d" -> Duration.ofDays(number);
      default -> throw new IllegalArgumentException(text);
    };
  }

  /** As {@link #parse} reads it; empty if all is as it is without. */
  public String text() {
    StringBuilder text = new StringBuilder(dense ? ",preset=dense" : "");
    decay.ifPresent(time -> text.append(",decay=").append(time.toMillis()).append("ms"));
    share.ifPresent(part -> text.append(",share=").append(part));
    return text.isEmpty() ? "" : text.substring(1);
  }

  /** Of a pool within that limit. */
  PoolOptions options(long limitBytes) {
    PurgePolicy preset = dense ? PurgePolicy.dense() : PurgePolicy.balanced();
    PoolOptions options =
        PoolOptions.withLimit(limitBytes)
            .withPurgePolicy(share.isPresent() ? preset.withShare(share.getAsDouble()) : preset);
    return decay.map(options::withDecay).orElse(options);
  }
}
