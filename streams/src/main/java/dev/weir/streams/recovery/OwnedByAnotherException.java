package dev.weir.streams.recovery;

import dev.weir.streams.manifest.Owner;
import java.io.IOException;

/** The store belongs to another node, which may be running. */
public final class OwnedByAnotherException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String host;

  /** Naming store and owner. */
  public OwnedByAnotherException(String store, Owner owner) {
    super(
        ("%s belongs to the node on %s (epoch %d); once that one has stopped for good, start with"
                + " --take-over")
            .formatted(store, owner.host(), owner.epoch()));
    this.host = owner.host();
  }

  /** Where the owner runs, or ran. */
  public String host() {
    return host;
  }
}
