package dev.weir.replication.command;

import dev.weir.replication.net.Amount;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** An amount on the command line: bytes, or with K, M or G (powers of 1,024). */
record ByteAmount(long bytes) {
  /** For picocli. */
  static final class Converter implements ITypeConverter<ByteAmount> {
    @Override
    public ByteAmount convert(String text) {
      try {
        return new ByteAmount(Amount.parse(text));
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(String.valueOf(e.getMessage()));
      }
    }
  }
}
