package dev.weir.lab.report;

import java.util.Locale;

/** Amounts of bytes as people read and write them. */
public final class Bytes {
  static final double MIB = 1 << 20;

  private Bytes() {}

  /** In MiB with one decimal, for the cells of a column that names the unit. */
  public static String mib(long bytes) {
    return String.format(Locale.ROOT, "%.1f", bytes / MIB);
  }

  /**
   * Parses a number with an optional binary unit: {@code 268435456}, {@code 256M}, {@code 1G}.
   *
   * @throws IllegalArgumentException if the text is no such amount or not positive
   */
  public static long parse(String text) {
    String digits = text.strip();
    int shift = 0;
    if (!digits.isEmpty()) {
      shift =
          switch (Character.toUpperCase(digits.charAt(digits.length() - 1))) {
            case 'K' -> 10;
            case 'M' -> 20;
            case 'G' -> 30;
            default -> 0;
          };
      digits = shift == 0 ? digits : digits.substring(0, digits.length() - 1);
    }
    try {
      long bytes = Math.multiplyExact(Long.parseLong(digits), 1L << shift);
      if (bytes > 0) {
        return bytes;
      }
    } catch (NumberFormatException | ArithmeticException notAnAmount) {
      // Reported below.
    }
    throw new IllegalArgumentException(
        "'" + text + "' is no amount of bytes, such as 20000000, 512K, 256M or 1G");
  }
}
