package dev.weir.streams;

import java.io.IOException;

/** The object store is away or too slow, and as much waits for it as may. Nothing was kept. */
public final class UnflushedFullException extends IOException {
  private static final long serialVersionUID = 1L;

  UnflushedFullException(String message) {
    super(message);
  }
}
