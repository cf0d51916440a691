package dev.weir.replication.source;

import java.io.IOException;

/** A container that cannot be offered, or not any more; the message names the file and says why. */
public final class SourceException extends IOException {
  private static final long serialVersionUID = 1;

  SourceException(String reason) {
    super(reason);
  }

  static SourceException changed(String container, String path) {
    return new SourceException(
        ("container '%s': the file '%s' has changed since its manifest was made;"
                + " fetch the container again")
            .formatted(container, path));
  }
}
