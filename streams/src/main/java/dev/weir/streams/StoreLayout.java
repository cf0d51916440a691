package dev.weir.streams;

import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * Where things lie in a data directory. Names are made of numbers only, so nothing that a client
 * sends ever becomes part of a file name.
 *
 * <pre>
 * node.lock                             held while a node runs
 * journal/0000000000000007.journal      what changed since snapshot 7, in order
 * journal/0000000000000007.snapshot     all streams when journal 7 began
 * bytes/2/00000000000003f2.bytes        a segment: bytes of one stream (and of its forks)
 * </pre>
 */
record StoreLayout(Path root) {
  /** Keeps directories easy to list; a power of two. */
  static final int SHARDS = 16;

  private static final String JOURNAL = ".journal";
  private static final String SNAPSHOT = ".snapshot";
  private static final String BYTES = ".bytes";
  static final String TEMPORARY = ".tmp";

  Path lock() {
    return root.resolve("node.lock");
  }

  Path journalDirectory() {
    return root.resolve("journal");
  }

  Path bytesDirectory() {
    return root.resolve("bytes");
  }

  Path shard(int shard) {
    return bytesDirectory().resolve(Integer.toHexString(shard));
  }

  Path shardOf(long fileId) {
    return shard((int) (fileId & (SHARDS - 1)));
  }

  Path segment(long fileId) {
    return shardOf(fileId).resolve(name(fileId) + BYTES);
  }

  Path journal(long sequence) {
    return journalDirectory().resolve(name(sequence) + JOURNAL);
  }

  Path snapshot(long sequence) {
    return journalDirectory().resolve(name(sequence) + SNAPSHOT);
  }

  static OptionalLong journalSequence(Path file) {
    return number(file, JOURNAL);
  }

  static OptionalLong snapshotSequence(Path file) {
    return number(file, SNAPSHOT);
  }

  static OptionalLong fileId(Path file) {
    return number(file, BYTES);
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
