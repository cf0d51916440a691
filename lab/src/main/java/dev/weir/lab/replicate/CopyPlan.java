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

  String certificate() {
    return tls == null ? "" : tls.certificate().toString();
  }

  String key() {
    return tls == null ? "" : tls.key().toString();
  }

  /**
   * What is copied.
   *
   * @param folder for what a run needs
   * @param bytes of all its files, of which peers other than Weir have one
   * @param program the C pair; null where there is none
   */
  record Load(
      Path folder, Path container, long bytes, int copies, @Nullable Path program, int nginxPort) {
    Path target() {
      return folder.resolve("target");
    }
  }
}
