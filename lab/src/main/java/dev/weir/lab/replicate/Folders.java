package dev.weir.lab.replicate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Removes what a run has made. */
final class Folders {
  private Folders() {}

  /** Removes what is in a folder, which stays. */
  static void deleteFiles(Path folder) throws IOException {
    delete(folder);
    Files.createDirectories(folder);
  }

  /** Removes a folder with all that is in it, if it is there. */
  static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    List<Path> deepestFirst;
    try (Stream<Path> paths = Files.walk(folder)) {
      deepestFirst = paths.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : deepestFirst) {
      Files.delete(path);
    }
  }
}
