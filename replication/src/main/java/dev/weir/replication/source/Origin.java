package dev.weir.replication.source;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** What a container is made of: for each manifest, a tree of files. Any thread. */
public interface Origin {
  /**
   * The tree as it is now; blocks. It is closed when no manifest of it is kept any more.
   *
   * @throws IOException whose message says why there is none
   */
  Tree open() throws IOException;

  /** How many manifests are kept at once: beyond that the oldest go, whoever uses them. */
  int mostSnapshots();

  /** A tree of files, and what is known of it without a look at them. */
  interface Tree extends Closeable {
    /** Its directory. */
    Path root();

    /**
     * Whether its files never change, and only their names do: then the time of a file's last
     * change of status says nothing.
     */
    boolean isSealed();

    /** Whether a new manifest would say the same, or must not be made yet. */
    boolean isCurrent();

    /** CRC32C of a file's first chunks, as many as are known without reading them. */
    int[] checksums(String path) throws IOException;

    /** Headers of answers with its manifest. */
    Map<String, String> headers();
  }

  /** A directory that others may change. */
  static Origin of(Path directory) {
    return new PlainDirectory(directory);
  }
}
