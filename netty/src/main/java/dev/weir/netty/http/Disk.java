package dev.weir.netty.http;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.util.Set;

/** What a {@link Spill} asks of the system: files, and threads that may wait for them. */
@FunctionalInterface
interface Disk {
  /** The real one. */
  Disk SYSTEM = FileChannel::open;

  /** As {@link FileChannel#open(Path, Set, FileAttribute[])}. */
  FileChannel open(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException;

  /** Runs what waits for the disk where that keeps nobody waiting. */
  default void aside(Runnable task) {
    Thread.startVirtualThread(task);
  }
}
