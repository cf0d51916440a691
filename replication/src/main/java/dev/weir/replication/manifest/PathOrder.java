package dev.weir.replication.manifest;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * The paths that a manifest may have, and their order: a directory before what it holds, names of
 * one directory by their bytes. So no path comes twice, and none lies in a file. Keeps one path for
 * each level of directories.
 */
public final class PathOrder {
  static final int MAX_PATH_BYTES = 4095;
  static final int MAX_NAME_BYTES = 255;
  static final int MAX_DEPTH = 128;

  /** A directory, and the last name that came of it. */
  private record Level(String directory, String lastName) {}

  private final Deque<Level> levels = new ArrayDeque<>();

  /** Expects the first path of a manifest. */
  public PathOrder() {
    levels.push(new Level("", ""));
  }

  /**
   * Orders names of one directory as manifests do: by the bytes of their UTF-8, without signs.
   *
   * @return less than, equal to or greater than 0, as comparators do
   */
  public static int compareNames(String a, String b) {
    return Arrays.compareUnsigned(a.getBytes(UTF_8), b.getBytes(UTF_8));
  }

  /** Orders whole paths as manifests do. */
  public static int comparePaths(String a, String b) {
    // Between names stands what is less than any byte of a name.
    return compareNames(a.replace('/', '\0'), b.replace('/', '\0'));
  }

  /**
   * Checks the next path.
   *
   * @throws ManifestException when it may not stand there, or nowhere
   */
  public void accept(String path, boolean isDirectory) throws ManifestException {
    checkNames(path);
    int slash = path.lastIndexOf('/');
    String parent = slash < 0 ? "" : path.substring(0, slash);
    while (levels.size() > 1 && !levels.getFirst().directory().equals(parent)) {
      levels.pop();
    }
    Level level = levels.pop();
    String name = path.substring(slash + 1);
    if (!level.directory().equals(parent)) {
      throw refusal(path, "is in no directory of the manifest");
    }
    if (compareNames(level.lastName(), name) >= 0) {
      throw refusal(path, "comes twice, or out of order");
    }
    levels.push(new Level(parent, name));
    if (isDirectory) {
      levels.push(new Level(path, ""));
    }
  }

  private static void checkNames(String path) throws ManifestException {
    if (path.isEmpty() || path.getBytes(UTF_8).length > MAX_PATH_BYTES) {
      throw refusal(path, "is empty or has more than " + MAX_PATH_BYTES + " bytes");
    }
    if (path.startsWith("/")) {
      throw refusal(path, "is absolute");
    }
    String[] names = path.split("/", -1);
    if (names.length > MAX_DEPTH) {
      throw refusal(path, "is deeper than " + MAX_DEPTH + " directories");
    }
    for (String name : names) {
      if (name.isEmpty() || name.equals(".") || name.equals("..")) {
        throw refusal(path, "has the name '" + name + "'");
      }
      if (name.indexOf('\0') >= 0 || name.getBytes(UTF_8).length > MAX_NAME_BYTES) {
        throw refusal(path, "has a name with a NUL or of more than " + MAX_NAME_BYTES + " bytes");
      }
    }
  }

  private static ManifestException refusal(String path, String reason) {
    String shown = path.length() > 200 ? path.substring(0, 200) + "…" : path;
    return new ManifestException("the path '" + shown.replace('\0', '?') + "' " + reason);
  }
}
