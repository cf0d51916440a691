package dev.weir.benchmarks.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What a benchmark finds out beside its time, on its way from the JVM that measures to the one that
 * reports: a file of lines {@code METRIC value}, named by a system property.
 */
public final class Figures {
  private static final String PROPERTY = "weir.bench.figures";

  private Figures() {}

  /**
   * Reports a figure, in a JVM that measures; says nothing in any other.
   *
   * @throws IOException if the file cannot be written
   */
  public static void report(Metric metric, double value) throws IOException {
    String file = System.getProperty(PROPERTY);
    if (file != null) {
      Files.write(Path.of(file), List.of(metric + " " + value), StandardOpenOption.APPEND);
    }
  }

  static String jvmFlag(Path file) {
    return "-D" + PROPERTY + "=" + file;
  }

  static Map<Metric, Double> read(Path file) throws IOException {
    Map<Metric, Double> figures = new EnumMap<>(Metric.class);
    for (String line : Files.readAllLines(file)) {
      int space = line.indexOf(' ');
      Metric metric = Metric.valueOf(line.substring(0, space));
      figures.put(metric, Double.valueOf(line.substring(space + 1)));
    }
    return figures;
  }
}
