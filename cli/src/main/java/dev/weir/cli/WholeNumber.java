package dev.weir.cli;

import java.math.BigInteger;
import picocli.CommandLine.TypeConversionException;

/** Numbers on the command line, and what is said of texts that are none. */
final class WholeNumber {
  private WholeNumber() {}

  static int parseInt(String text) {
    return parse(text, Integer.SIZE).intValue();
  }

  static long parseLong(String text) {
    return parse(text, Long.SIZE).longValue();
  }

  private static BigInteger parse(String text, int bits) {
    if (!text.matches("[+-]?[0-9]{1,100}")) {
      throw new TypeConversionException("'" + text + "' is not a whole number");
    }
    BigInteger number = new BigInteger(text);
    if (number.bitLength() >= bits) {
      throw new TypeConversionException(
          "'" + text + "' is too " + (number.signum() > 0 ? "large" : "small"));
    }
    return number;
  }
}
