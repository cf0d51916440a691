package dev.weir.server.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Makes what a data directory consists of, so that it outlasts a loss of power. */
final class DataDirectory {
  private DataDirectory() {}

  /**
   * Makes the directories that are missing, those above included; their names are durable then, on
   * which rests whatever is durable in them.
   *
   * @throws DataDirectoryException when it cannot be used, in one line
   */
  static void make(Disk disk, StoreLayout layout) throws DataDirectoryException {
    Path directory = layout.root();
    if (Files.exists(directory) && !Files.isDirectory(directory)) {
      throw new DataDirectoryException(
          "the data directory " + directory + " is a file; name a directory with --data");
    }
    try {
      List<Path> above = aboveMissing(directory);
      disk.makeDirectories(layout.journalDirectory());
      for (int shard = 0; shard < StoreLayout.SHARDS; shard++) {
        disk.makeDirectories(layout.shard(shard));
      }
      disk.syncDirectory(layout.bytesDirectory());
      disk.syncDirectory(directory);
      for (Path parent : above) {
        disk.syncDirectory(parent);
      }
    } catch (IOException e) {
      throw new DataDirectoryException(
          "cannot create the data directory "
              + directory
              + " ("
              + e.getClass().getSimpleName()
              + ": "
              + e.getMessage()
              + ")",
          e);
    }
  }

  /** The parents of what is missing, from the directory up; none where that is there. */
  private static List<Path> aboveMissing(Path directory) {
    List<Path> parents = new ArrayList<>();
    Path missing = directory.toAbsolutePath();
    while (!Files.exists(missing) && missing.getParent() != null) {
      missing = missing.getParent();
      parents.add(missing);
    }
    return parents;
  }
}
