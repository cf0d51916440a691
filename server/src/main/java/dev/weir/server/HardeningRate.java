package dev.weir.server;

import dev.weir.memory.PoolOptions;
import dev.weir.memory.hardening.Hardening;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The value of {@code --hardened}.
 *
 * @param hardening null for none
 */
record HardeningRate(@Nullable Hardening hardening) {
  PoolOptions in(PoolOptions options) {
    return hardening == null ? options.withoutHardening() : options.withHardening(hardening);
  }

  /** For picocli. */
  static final class Converter implements ITypeConverter<HardeningRate> {
    @Override
    public HardeningRate convert(String value) {
      try {
        return new HardeningRate(Hardening.parse(value));
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(
            "'" + value + "' is neither off, sampled, full, nor a number: one buffer in so many");
      }
    }
  }
}
