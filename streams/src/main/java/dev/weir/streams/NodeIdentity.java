package dev.weir.streams;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/**
 * Who a data directory is to an object store.
 *
 * @param nonce what the store's owner has, where it is this directory
 * @param hasWal whether the directory has had a WAL: if it is not there now, it is lost
 */
record NodeIdentity(UUID nonce, boolean hasWal) {
  private static final String WITH_WAL = "with wal";

  /** Reads the directory's identity, or makes one, durably. */
  static NodeIdentity of(Disk disk, StoreLayout layout) throws IOException {
    Path file = layout.identity();
    if (!Files.exists(file)) {
      NodeIdentity made = new NodeIdentity(UUID.randomUUID(), /* hasWal= */ false);
      made.write(disk, layout);
      return made;
    }
    List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
    try {
      return new NodeIdentity(UUID.fromString(lines.getFirst()), lines.contains(WITH_WAL));
    } catch (RuntimeException damaged) {
      throw new DataDirectoryException(
          file + " is damaged; restore it from a copy, or start with another data directory",
          damaged);
    }
  }

  /** Notes that there is a WAL from now on. */
  void noteWal(Disk disk, StoreLayout layout) throws IOException {
    if (!hasWal) {
      new NodeIdentity(nonce, /* hasWal= */ true).write(disk, layout);
    }
  }

  private void write(Disk disk, StoreLayout layout) throws IOException {
    Path file = layout.identity();
    Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
    String text = nonce + "\n" + (hasWal ? WITH_WAL + "\n" : "");
    disk.delete(temporary);
    try (DiskFile target = disk.create(temporary)) {
      target.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), 0);
      target.sync();
    }
    disk.move(temporary, file);
    disk.syncDirectory(layout.root());
  }
}
