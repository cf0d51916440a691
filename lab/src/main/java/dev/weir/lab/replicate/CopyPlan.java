package dev.weir.lab.replicate;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * One line of the table.
 *
 * @param tls null: in the clear
 */
record CopyPlan(Peer peer, int connections, @Nullable Certificate tls) {
  String protocol() {
    return tls == null ? "clear" : "tls";
  }

  /**
   * What is copied, and where the files of a run lie.
   *
   * @param folder for what a run needs
   * @param container files named from 0 on
   * @param fileBytes of each
   * @param program the C pair; null where there is none
   */
  record Load(
      Path folder,
      Path container,
      int files,
      long fileBytes,
      @Nullable Path program,
      int nginxPort,
      CopyLoad copies) {
    Path target() {
      return folder.resolve("target");
    }

    /** Where one copy at a time lies. */
    Path first() {
      return target().resolve("0");
    }

    long bytes() {
      return files * fileBytes;
    }
  }
}
