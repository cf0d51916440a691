package dev.weir.server;

import java.math.BigInteger;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** An amount of memory on the command line: bytes, or with K, M, G or T (powers of 1,024). */
record ByteSize(long bytes) {
  private static final Pattern FORM = Pattern.compile("([0-9]{1,100})([KMGT]?)(I?B)?");

  static ByteSize parse(String text) {
    Matcher form = FORM.matcher(text.trim().toUpperCase(Locale.ROOT));
    if (!form.matches()) {
      throw new TypeConversionException(
          "'" + text + "' is no amount of memory; use bytes, or 64K, 256M, 1G");
    }
    int shift =
        switch (form.group(2)) {
          case "K" -> 10;
          case "M" -> 20;
          case "G" -> 30;
          case "T" -> 40;
          default -> 0;
        };
    BigInteger bytes = new BigInteger(form.group(1)).shiftLeft(shift);
    if (bytes.bitLength() >= Long.SIZE) {
      throw new TypeConversionException("'" + text + "' is too large");
    }
    return new ByteSize(bytes.longValue());
  }

  @Override
  public String toString() {
    if (bytes > 0 && bytes % (1L << 40) == 0) {
      return (bytes >> 40) + "T";
    }
    if (bytes >= 1 << 30 && bytes % (1 << 30) == 0) {
      return (bytes >> 30) + "G";
    }
    return bytes > 0 && bytes % (1 << 20) == 0 ? (bytes >> 20) + "M" : bytes + " bytes";
  }

  /** For picocli. */
  static final class Converter implements ITypeConverter<ByteSize> {
    @Override
    public ByteSize convert(String value) {
      return parse(value);
    }
  }
}
