package dev.weir.streams;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Makes what a data directory consists of, so that it outlasts a loss of power. */
final class DataDirectory {
  private static final System.Logger LOG = System.getLogger(DataDirectory.class.getName());

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
    if (layout.hasOldFormat()) {
      throw new DataDirectoryException(
          "the data directory "
              + directory
              + " has data of an older format, which was never released and is not read any more;"
              + " nothing was changed: name another directory with --data");
    }
    try {
      // Without the lock's file no start has come past this one yet, whatever is there already.
      List<Path> above = Files.exists(layout.lock()) ? List.of() : above(directory);
      disk.makeDirectories(layout.journalDirectory());
      disk.makeDirectories(layout.spoolDirectory());
      disk.syncDirectory(directory);
      for (Path parent : above) {
        syncIfReadable(disk, parent);
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

  private static void syncIfReadable(Disk disk, Path parent) throws IOException {
    try {
      disk.syncDirectory(parent);
    } catch (AccessDeniedException notReadable) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} may not be read, so the names in it may not outlast a loss of power",
          parent);
    }
  }

  private static List<Path> above(Path directory) {
    List<Path> parents = new ArrayList<>();
    Path parent = directory.toAbsolutePath().getParent();
    while (parent != null) {
      parents.add(parent);
      parent = parent.getParent();
    }
    return parents;
  }
}
