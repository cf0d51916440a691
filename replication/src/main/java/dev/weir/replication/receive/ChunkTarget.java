package dev.weir.replication.receive;

import dev.weir.replication.manifest.Entry;
import java.io.IOException;
import java.nio.channels.FileChannel;

/** A file that chunks are written into. Each chunk that has to come has a claim on it. */
public interface ChunkTarget {
  /** What the manifest says of it. */
  Entry entry();

  /** Where to write. */
  FileChannel channel() throws IOException;

  /** One more chunk has to come. */
  void claim();

  /** A chunk has come, and is right, or will not come. */
  void giveBack();
}
