package dev.weir.netty.http;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What this process has of a folder. */
final class OpenFiles {
  private static final Path PROCESS = Path.of("/proc/self");

  private OpenFiles() {}

  /**
   * The files of a folder; on Linux also those without a name that are open or mapped, which are
   * there as long as that.
   */
  static List<String> of(Path folder) throws IOException {
    List<String> found = new ArrayList<>();
    try (Stream<Path> named = Files.list(folder)) {
      named.forEach(file -> found.add(file.toString()));
    }
    if (!Files.isDirectory(PROCESS)) {
      return found;
    }
    String prefix = folder.toRealPath() + "/";
    try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(PROCESS.resolve("fd"))) {
      for (Path descriptor : descriptors) {
        String target = target(descriptor);
        if (target.startsWith(prefix)) {
          found.add("open: " + target);
        }
      }
    }
    for (String mapping : Files.readAllLines(PROCESS.resolve("maps"))) {
      if (mapping.contains(prefix)) {
        found.add("mapped: " + mapping);
      }
    }
    return found;
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (NoSuchFileException closedMeanwhile) {
      return "";
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
