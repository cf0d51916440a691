package dev.weir.lab.replay;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Traces that are named by the folder that they are in. */
final class TraceFolders {
  private TraceFolders() {}

  /**
   * Replaces each folder by the traces in it, by their names.
   *
   * @throws ParameterException if a folder has none
   */
  static List<String> expand(CommandSpec spec, List<String> names) throws IOException {
    List<String> all = new ArrayList<>();
    for (String name : names) {
      Path folder = Path.of(name);
      if (!Files.isDirectory(folder)) {
        all.add(name);
        continue;
      }
      try (Stream<Path> files = Files.list(folder)) {
        List<String> inside =
            files.map(Path::toString).filter(TraceFolders::isTrace).sorted().toList();
        if (inside.isEmpty()) {
          throw new ParameterException(
              spec.commandLine(), "no *.trace or *.trace.gz in the folder '%s'".formatted(folder));
        }
        all.addAll(inside);
      }
    }
    return all;
  }

  private static boolean isTrace(String file) {
    return file.endsWith(".trace") || file.endsWith(".trace.gz");
  }
}
