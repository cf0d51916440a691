package dev.weir.replication.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Directory trees of a seed, and what is in a tree as a map that can be compared. */
public final class Trees {
  private static final int[] SIZES = {
    0, 1, 4095, 4096, 1 << 20, (1 << 20) - 1, (1 << 20) + 1, 3 << 20, (5 << 20) + 17
  };
  private static final String[] NAMES = {"a", "b.txt", "ä", "a b", "B", "x-y", "漢", "z%20", "a.b"};

  private Trees() {}

  /** Fills a directory. */
  public static void create(Path root, long seed) throws IOException {
    Random random = new Random(seed);
    Files.createDirectories(root);
    fill(root, random, 0);
  }

  private static void fill(Path directory, Random random, int depth) throws IOException {
    int entries = 1 + random.nextInt(6);
    for (int i = 0; i < entries; i++) {
      Path path = directory.resolve(NAMES[random.nextInt(NAMES.length)]);
      if (Files.exists(path)) {
        continue;
      }
      if (depth < 3 && random.nextInt(3) == 0) {
        Files.createDirectory(path);
        fill(path, random, depth + 1);
        mode(path, random.nextBoolean() ? "rwxr-x---" : "rwxrwxrwx");
      } else {
        Files.write(path, content(random, SIZES[random.nextInt(SIZES.length)]));
        mode(path, random.nextBoolean() ? "rw-r-----" : "r-xr-xr-x");
      }
    }
  }

  private static void mode(Path path, String permissions) throws IOException {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
  }

  /** Random bytes, of which some stretches are zeros. */
  public static byte[] content(Random random, int bytes) {
    byte[] content = new byte[bytes];
    random.nextBytes(content);
    if (random.nextInt(3) == 0) {
      java.util.Arrays.fill(content, bytes / 4, bytes, (byte) 0);
    }
    return content;
  }

  /** Paths with kind, mode, size and a hash of the content. */
  public static Map<String, String> describe(Path root) throws IOException {
    Map<String, String> all = new TreeMap<>();
    try (Stream<Path> paths = Files.walk(root)) {
      for (Path path : (Iterable<Path>) paths::iterator) {
        if (path.equals(root)) {
          continue;
        }
        String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
        boolean directory = Files.isDirectory(path);
        all.put(
            root.relativize(path).toString(),
            mode
                + (directory
                    ? " directory"
                    : " "
                        + Files.size(path)
                        + " "
                        + java.util.Arrays.hashCode(Files.readAllBytes(path))));
      }
    }
    return all;
  }
}
