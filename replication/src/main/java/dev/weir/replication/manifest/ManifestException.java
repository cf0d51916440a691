package dev.weir.replication.manifest;

import java.io.IOException;

/** A manifest that is refused; the message says which entry, and why. */
public final class ManifestException extends IOException {
  private static final long serialVersionUID = 1;

  ManifestException(String reason) {
    super("the manifest is refused: " + reason);
  }
}
