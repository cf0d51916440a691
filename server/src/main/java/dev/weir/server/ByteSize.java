package dev.weir.server;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** An amount of memory on the command line: bytes, or with K, M or G (powers of 1,024). */
record ByteSize(long bytes) {
  private static final Pattern FORM = Pattern.compile("([0-9]{1,12})([KMG]?)(I?B)?");

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
          default -> 0;
        };
    return new ByteSize(Long.parseLong(form.group(1)) << shift);
  }

  @Override
  public String toString() {
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
