package dev.weir.lab.replicate;

import java.io.IOException;
import java.nio.file.Path;

/** The receiving side of one peer. Several copies may run at once. */
interface Copier {
  /**
   * Copies into a folder that is there, and has nothing in it. Blocks its thread.
   *
   * @throws IOException if it fails
   */
  void copy(Path target) throws IOException, InterruptedException;

  /** What has come so far, of all copies; 0 if it is not known. */
  default long receivedBytes() {
    return 0;
  }

  /** The most that buffers of all copies ever held, as they count. */
  long peakPoolBytes();
}
