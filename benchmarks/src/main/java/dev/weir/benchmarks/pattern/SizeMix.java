package dev.weir.benchmarks.pattern;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which sizes the buffers of a benchmark have, in bytes. A source draws them with a random sequence
 * of its own, the same in every run; it belongs to one thread.
 */
public abstract class SizeMix {
  /** The largest size that a mix may have: 64 MiB. */
  public static final int MAX_BYTES = 64 << 20;

  private static final Pattern RANGE = Pattern.compile("(\\d+)([KM]?)(?:\\.\\.(\\d+)([KM]?))?");

  /** The histograms that lie beside this class, recorded of real programs. */
  private static final Set<String> RECORDED = Set.of("api-gateway", "websocket-proxy");

  /** The files that were read: once, so that a run ends with the sizes that it began with. */
  private static final Map<String, SizeHistogram> READ = new ConcurrentHashMap<>();

  SizeMix() {}

  /** The next size. */
  public abstract int next();

  /** The mean of the sizes. */
  public abstract double meanBytes();

  /**
   * Makes the source that a text describes: {@code 256} or {@code 4K} for one size, {@code 1..64K}
   * for a uniform choice, {@code api-gateway} or {@code websocket-proxy} for what such programs ask
   * for, or the path of a histogram file.
   *
   * @param seed of the random sequence; threads that draw from one mix take different ones
   * @throws IllegalArgumentException if the text describes none, or the file is malformed
   */
  public static SizeMix of(String text, long seed) {
    Matcher range = RANGE.matcher(text);
    if (range.matches()) {
      int low = bytes(range.group(1), range.group(2));
      int high = range.group(3) == null ? low : bytes(range.group(3), range.group(4));
      if (low < 1 || low > high || high > MAX_BYTES) {
        throw new IllegalArgumentException(
            "sizes '%s' are not between 1 and %dM, the smaller first"
                .formatted(text, MAX_BYTES >> 20));
      }
      return low == high ? new FixedSize(low) : new UniformSizes(low, high, seed);
    }
    return new HistogramSizes(histogram(text), seed);
  }

  /**
   * The histogram of that name.
   *
   * @throws IllegalArgumentException if there is none, or it is malformed
   */
  private static SizeHistogram histogram(String name) {
    return READ.computeIfAbsent(name, SizeMix::read);
  }

  private static SizeHistogram read(String text) {
    try {
      return SizeHistogram.parse(lines(text));
    } catch (IOException unreadable) {
      throw new IllegalArgumentException(
          ("no sizes '%s': give a number (4K), a range (1..64K), api-gateway, websocket-proxy or a"
                  + " histogram file")
              .formatted(text),
          unreadable);
    }
  }

  /** How many requests of a histogram are for more than {@link #MAX_BYTES}, and left out. */
  public static long leftOut(String text) {
    return RANGE.matcher(text).matches() ? 0 : histogram(text).leftOut();
  }

  /** The size that a text describes, if it is one size. */
  public static OptionalInt oneSize(String text) {
    return RANGE.matcher(text).matches() && of(text, 1) instanceof FixedSize one
        ? OptionalInt.of(one.next())
        : OptionalInt.empty();
  }

  private static String lines(String text) throws IOException {
    if (!RECORDED.contains(text)) {
      return Files.readString(Path.of(text));
    }
    try (InputStream recorded = SizeMix.class.getResourceAsStream(text + ".sizes")) {
      return new String(Objects.requireNonNull(recorded).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static int bytes(String digits, String unit) {
    int shift =
        switch (unit) {
          case "K" -> 10;
          case "M" -> 20;
          default -> 0;
        };
    return digits.length() > 9
        ? Integer.MAX_VALUE
        : (int) Math.min(Integer.MAX_VALUE, Long.parseLong(digits) << shift);
  }
}
