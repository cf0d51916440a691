package dev.weir.benchmarks;

import dev.weir.benchmarks.pattern.SizeMix;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The flag that says which sizes buffers have. */
final class SizeOption {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  private @Nullable List<String> sizes;

  SizeOption() {}

  @Option(
      names = "--sizes",
      split = ",",
      paramLabel = "MIX",
      description = {
        "Sizes of the buffers: 4K, 1..64K, api-gateway, websocket-proxy or a histogram file",
        "(default: several)."
      })
  void sizes(List<String> mixes) {
    for (String mix : mixes) {
      try {
        SizeMix.of(mix, 1);
        long leftOut = SizeMix.leftOut(mix);
        if (leftOut > 0) {
          spec.commandLine()
              .getErr()
              .printf(
                  "--sizes %s: %,d buffers above %d MiB are left out%n",
                  mix, leftOut, SizeMix.MAX_BYTES >> 20);
        }
      } catch (IllegalArgumentException malformed) {
        throw new ParameterException(spec.commandLine(), "--sizes: " + malformed.getMessage());
      }
    }
    sizes = mixes;
  }

  /** What was given, or {@code defaults}. */
  List<String> or(List<String> defaults) {
    return sizes == null ? defaults : sizes;
  }
}
