package dev.weir.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The source files of the whole project, found from the folder the test runs in. */
final class Sources {
  static final Path ROOT = root();

  private Sources() {}

  /** Java files below {@code src/main}, of every module. */
  static List<Path> main() {
    return java("src/main/java");
  }

  /** Java files below {@code src/main} and {@code src/test}, of every module. */
  static List<Path> all() {
    return Stream.concat(java("src/main/java").stream(), java("src/test/java").stream()).toList();
  }

  static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** How a file is named in a failure: its path from the root of the project. */
  static String name(Path file) {
    return ROOT.relativize(file).toString();
  }

  private static List<Path> java(String folder) {
    try (Stream<Path> modules = Files.list(ROOT)) {
      return modules
          .map(module -> module.resolve(folder))
          .filter(Files::isDirectory)
          .flatMap(Sources::filesBelow)
          .filter(file -> file.toString().endsWith(".java"))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<Path> filesBelow(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("mvnw"))) {
      folder = folder.getParent();
      if (folder == null) {
        throw new IllegalStateException("no mvnw above " + Path.of("").toAbsolutePath());
      }
    }
    return folder;
  }
}
