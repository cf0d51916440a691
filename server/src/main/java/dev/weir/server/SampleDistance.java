package dev.weir.server;

import dev.weir.memory.PoolOptions;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The value of {@code --profile}.
 *
 * @param bytes how many allocated bytes there are to a sample; 0 for no profile
 */
record SampleDistance(long bytes) {
  /** For picocli. */
  static final class Converter implements ITypeConverter<SampleDistance> {
    @Override
    public SampleDistance convert(String value) {
      if (value.equals("off")) {
        return new SampleDistance(0);
      }
      try {
        long bytes = ByteSize.parse(value).bytes();
        return new SampleDistance(
            PoolOptions.withLimit(1 << 20).withProfile(bytes).bytesPerSample());
      } catch (IllegalArgumentException | TypeConversionException e) {
        throw new TypeConversionException(
            "'" + value + "' is neither off nor an amount of memory from 4K to 1G");
      }
    }
  }
}
