package dev.weir.lab.options;

import picocli.CommandLine.Option;

/** {@code --limit}: the direct memory that each allocator may use. */
public final class LimitOption {
  @Option(
      names = "--limit",
      converter = Converters.OfBytes.class,
      defaultValue = "256M",
      paramLabel = "SIZE",
      description = "Direct memory of each allocator (default: ${DEFAULT-VALUE}).")
  private long bytes;

  /** Made by picocli. */
  public LimitOption() {}

  /**
   * What was given.
   *
   * @throws picocli.CommandLine.ParameterException if it is less than so many MiB
   */
  public long atLeastMib(int mib, Checks checks) {
    checks.require(bytes >= (long) mib << 20, "--limit", "at least " + mib + "M");
    return bytes;
  }
}
