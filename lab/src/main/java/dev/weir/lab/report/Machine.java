package dev.weir.lab.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/** The machine that figures are from, in one line. */
final class Machine {
  private Machine() {}

  static String describe() {
    return String.format(
        Locale.ROOT,
        "%d processors (%s), %s, Linux %s, Java %s",
        Runtime.getRuntime().availableProcessors(),
        line("/proc/cpuinfo", "model name"),
        line("/proc/meminfo", "MemTotal"),
        System.getProperty("os.version"),
        Runtime.version());
  }

  private static String line(String file, String name) {
    try (Stream<String> lines = Files.lines(Path.of(file))) {
      return lines
          .filter(line -> line.startsWith(name))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse("unknown");
    } catch (IOException elsewhere) {
      return "unknown";
    }
  }
}
