package dev.weir.streams;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * Where things lie in a data directory. Names are made of numbers only, so nothing that a client
 * sends ever becomes part of a file name.
 *
 * <pre>
 * node.lock                        held while a node runs
 * node.id                          who the directory is to the object store
 * wal/0000000000000007.wal         what was acknowledged and may not be flushed yet, in order
 * spool/00000000000003f2.bytes     a large body that is not flushed yet
 * objects/                         the object store, where no other is named
 * </pre>
 */
record StoreLayout(Path root) {
  private static final String JOURNAL = ".wal";
  private static final String SPOOLED = ".bytes";

  Path lock() {
    return root.resolve("node.lock");
  }

  Path identity() {
    return root.resolve("node.id");
  }

  Path journalDirectory() {
    return root.resolve("wal");
  }

  Path spoolDirectory() {
    return root.resolve("spool");
  }

  Path objectDirectory() {
    return root.resolve("objects");
  }

  Path spooled(long fileId) {
    return spoolDirectory().resolve(name(fileId) + SPOOLED);
  }

  Path journal(long sequence) {
    return journalDirectory().resolve(name(sequence) + JOURNAL);
  }

  /** Where the WAL of a lost epoch is kept for people. */
  Path journalsAside(long epoch) {
    return root.resolve("wal-before-epoch-" + epoch);
  }

  /** Whether the directory has data of a format that was never released. */
  boolean hasOldFormat() {
    return Files.isDirectory(root.resolve("journal")) || Files.isDirectory(root.resolve("bytes"));
  }

  static OptionalLong journalSequence(Path file) {
    return number(file, JOURNAL);
  }

  static OptionalLong fileId(Path file) {
    return number(file, SPOOLED);
  }

  private static String name(long number) {
    return "%016x".formatted(number);
  }

  private static OptionalLong number(Path file, String suffix) {
    String name = file.getFileName().toString();
    if (name.length() != 16 + suffix.length() || !name.endsWith(suffix)) {
      return OptionalLong.empty();
    }
    try {
      return OptionalLong.of(Long.parseUnsignedLong(name, 0, 16, 16));
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }
}
