package dev.weir.streams;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** A folder of hard links. For one thread at a time. */
final class LinkedFolder {
  private final Path root;
  private final Set<Path> made = new HashSet<>();

  LinkedFolder(Path root) {
    this.root = root;
  }

  Path root() {
    return root;
  }

  /** Links a file under a name with slashes, and makes the folders for it. */
  void add(String name, Path file) throws IOException {
    Path link = root.resolve(name);
    Path parent = link.getParent();
    if (parent != null && made.add(parent)) {
      Files.createDirectories(parent);
    }
    Files.createLink(link, file);
  }

  /** Removes a folder with what is in it, if it is there. */
  static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    List<Path> all;
    try (Stream<Path> walk = Files.walk(folder)) {
      all = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : all) {
      Files.deleteIfExists(path);
    }
  }
}
