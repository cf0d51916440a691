package dev.weir.replication.command;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** An amount on the command line: bytes, or with K, M or G (powers of 1,024). */
record ByteAmount(long bytes) {
  private static final Pattern FORM = Pattern.compile("([0-9]{1,12})([KMG]?)");

  /** For picocli. */
  static final class Converter implements ITypeConverter<ByteAmount> {
    @Override
    public ByteAmount convert(String text) {
      Matcher form = FORM.matcher(text.strip().toUpperCase(Locale.ROOT));
      if (!form.matches()) {
        throw new TypeConversionException(
            "'" + text + "' is no amount of bytes, such as 512K, 64M or 1G");
      }
      int shift =
          switch (form.group(2)) {
            case "K" -> 10;
            case "M" -> 20;
            case "G" -> 30;
            default -> 0;
          };
      try {
        return new ByteAmount(Math.multiplyExact(Long.parseLong(form.group(1)), 1L << shift));
      } catch (ArithmeticException e) {
        throw new TypeConversionException("'" + text + "' is too large");
      }
    }
  }
}
