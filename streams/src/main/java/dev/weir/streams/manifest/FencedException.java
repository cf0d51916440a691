package dev.weir.streams.manifest;

import java.io.IOException;

/** Another node has taken the store over: this one may write no more, and keeps its WAL. */
public final class FencedException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String host;

  /** Naming the host that has the store now. */
  public FencedException(String host, long epoch) {
    super(
        "the store was taken over by %s (epoch %d); this node takes no more changes"
            .formatted(host, epoch));
    this.host = host;
  }

  /** Where the new owner runs. */
  public String host() {
    return host;
  }
}
