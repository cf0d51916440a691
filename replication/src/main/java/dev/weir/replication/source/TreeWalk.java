package dev.weir.replication.source;

import dev.weir.replication.manifest.PathOrder;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Walks a directory tree in the order of manifests. Keeps the names of one directory for each level
 * that it is in. For one thread.
 */
final class TreeWalk {
  /** A file or directory, by its path in the container and in the system. */
  record Step(String path, Path location, FileStamp.Facts facts) {}

  private record Level(String prefix, Path location, Iterator<String> names) {}

  private final String container;
  private final Deque<Level> levels = new ArrayDeque<>();

  TreeWalk(String container, Path root) throws IOException {
    this.container = container;
    enter("", root);
  }

  /**
   * The next file or directory, or null at the end.
   *
   * @throws SourceException when something is neither
   */
  @Nullable Step next() throws IOException {
    while (!levels.isEmpty()) {
      Level level = levels.getFirst();
      if (!level.names().hasNext()) {
        levels.pop();
        continue;
      }
      String name = level.names().next();
      String path = level.prefix() + name;
      Path location = level.location().resolve(name);
      FileStamp.Facts facts = facts(path, location);
      if (facts.isDirectory()) {
        enter(path + "/", location);
      } else if (!facts.isFile()) {
        throw new SourceException(
            "container '%s': '%s' is %s; only files and directories are copied"
                .formatted(container, path, facts.kind()));
      }
      return new Step(path, location, facts);
    }
    return null;
  }

  private FileStamp.Facts facts(String path, Path location) throws IOException {
    try {
      return FileStamp.read(location);
    } catch (NoSuchFileException e) {
      throw new SourceException(
          "container '%s': '%s' has vanished while the container was read"
              .formatted(container, path));
    }
  }

  private void enter(String prefix, Path location) throws IOException {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(location)) {
      for (Path entry : entries) {
        String name = String.valueOf(entry.getFileName());
        if (name.indexOf('\uFFFD') >= 0) {
          throw new SourceException(
              "container '%s': the name of '%s%s' is no UTF-8; rename it"
                  .formatted(container, prefix, name));
        }
        names.add(name);
      }
    }
    names.sort(PathOrder::compareNames);
    levels.push(new Level(prefix, location, names.iterator()));
  }
}
