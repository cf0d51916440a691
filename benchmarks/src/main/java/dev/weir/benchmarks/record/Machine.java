package dev.weir.benchmarks.record;

import io.netty.util.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a run ran on. */
final class Machine {
  private static final String UNKNOWN = "unknown";

  private Machine() {}

  /** As a JSON object. */
  static Map<String, Object> describe() {
    Map<String, Object> machine = new LinkedHashMap<>();
    machine.put("cpu", valueAfter(Path.of("/proc/cpuinfo"), "model name"));
    machine.put("cores", Runtime.getRuntime().availableProcessors());
    machine.put("memory", valueAfter(Path.of("/proc/meminfo"), "MemTotal"));
    machine.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    machine.put("architecture", System.getProperty("os.arch"));
    machine.put(
        "transparentHugePages", chosen(Path.of("/sys/kernel/mm/transparent_hugepage/enabled")));
    machine.put("jdk", System.getProperty("java.vendor.version", Runtime.version().toString()));
    Version netty = Version.identify().get("netty-buffer");
    machine.put("netty", netty == null ? UNKNOWN : netty.artifactVersion());
    return machine;
  }

  /** The value of the first line {@code key : value}. */
  private static String valueAfter(Path file, String key) {
    try {
      return Files.readAllLines(file).stream()
          .filter(line -> line.startsWith(key))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(UNKNOWN);
    } catch (IOException absent) {
      return UNKNOWN;
    }
  }

  /** The word in brackets: {@code always [madvise] never}. */
  private static String chosen(Path file) {
    try {
      String text = Files.readString(file);
      return text.substring(text.indexOf('[') + 1, text.indexOf(']'));
    } catch (IOException absent) {
      return UNKNOWN;
    }
  }
}
