package dev.weir.replication.net;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Amounts of bytes as people write them: plain, or with K, M or G (powers of 1,024). */
public final class Amount {
  private static final Pattern FORM = Pattern.compile("([0-9]{1,12})([KMG]?)");

  private Amount() {}

  /**
   * Reads one.
   *
   * @throws IllegalArgumentException which says what is wrong with it
   */
  public static long parse(String text) {
    Matcher form = FORM.matcher(text.strip().toUpperCase(Locale.ROOT));
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "'" + text.strip() + "' is no amount of bytes, such as 512K, 64M or 1G");
    }
    int shift =
        switch (form.group(2)) {
          case "K" -> 10;
          case "M" -> 20;
          case "G" -> 30;
          default -> 0;
        };
    try {
      return Math.multiplyExact(Long.parseLong(form.group(1)), 1L << shift);
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("'" + text.strip() + "' is too large", e);
    }
  }
}
