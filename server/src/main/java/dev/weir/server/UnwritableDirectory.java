package dev.weir.server;

import dev.weir.streams.DataDirectoryException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tells a data directory that may not be written to from one that cannot be used otherwise. */
final class UnwritableDirectory {
  /** EROFS and EPERM, for which the JDK has no types, only the C library's text. */
  private static final List<String> REASONS =
      List.of("Read-only file system", "Operation not permitted");

  private UnwritableDirectory() {}

  /** What to say of a directory that cannot be used, in one line. */
  static String explain(Path data, DataDirectoryException unusable) {
    if (!isUnwritable(unusable.getCause())) {
      return String.valueOf(unusable.getMessage());
    }
    return ("the data directory %s is not writable for the user %s;"
            + " change its owner or mode, or choose another --data")
        .formatted(data, System.getProperty("user.name"));
  }

  private static boolean isUnwritable(@Nullable Throwable cause) {
    return cause instanceof AccessDeniedException
        || (cause instanceof FileSystemException failure && REASONS.contains(failure.getReason()));
  }
}
