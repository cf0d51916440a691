package dev.weir.lab.options;

import dev.weir.lab.report.JsonLines;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --json}: a file for the rows of a run, if there is to be one. */
public final class JsonOption {
  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also writes one JSON object a row into this file.")
  private @Nullable Path file;

  /** Made by picocli. */
  public JsonOption() {}

  /** Requires, before the run, that the file can be written. */
  public void require(Checks checks) {
    checks.requireWritable(file, "--json");
  }

  /**
   * Writes the rows that there are by now, if there is a file.
   *
   * @throws IOException if it cannot be written
   */
  public void write(List<? extends Map<String, ?>> rows) throws IOException {
    if (file != null) {
      JsonLines.write(file, rows);
    }
  }
}
