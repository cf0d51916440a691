package dev.weir.benchmarks.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The charts of a record as files of the repository. */
public final class Charts {
  private Charts() {}

  /**
   * Draws every suite of the record, each in its file.
   *
   * @return the files
   * @throws IOException if one of them cannot be written
   */
  public static List<Path> draw(BenchRecord source, Repository repository) throws IOException {
    List<Path> files = new ArrayList<>();
    for (String suite : Chart.suites(source)) {
      Optional<String> svg = Chart.svg(source, suite);
      if (svg.isPresent()) {
        Path file = repository.chartFile(suite);
        Files.writeString(file, svg.get());
        files.add(file);
      }
    }
    return files;
  }
}
