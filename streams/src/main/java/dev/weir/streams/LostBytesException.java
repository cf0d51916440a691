package dev.weir.streams;

import java.io.IOException;
import java.nio.file.Path;

/** A segment has lost bytes that were acknowledged: nothing may be written behind them. */
final class LostBytesException extends IOException {
  private static final long serialVersionUID = 1L;

  LostBytesException(Path segment, long hasBytes, long hadBytes) {
    super(
        "%s has %,d bytes, but %,d were acknowledged there; restore it from a copy"
            .formatted(segment, hasBytes, hadBytes));
  }
}
