package dev.weir.streams;

import java.io.IOException;

/** A segment file could not be written; neither the journal nor other streams are concerned. */
final class SegmentWriteException extends IOException {
  private static final long serialVersionUID = 1L;

  private final IOException reason;

  SegmentWriteException(IOException reason) {
    super(reason);
    this.reason = reason;
  }

  IOException reason() {
    return reason;
  }
}
