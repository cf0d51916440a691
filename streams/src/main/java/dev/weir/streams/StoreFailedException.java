package dev.weir.streams;

import java.io.IOException;

/**
 * The store takes no more changes: it is closed, or the disk failed in a way after which it cannot
 * know what is durable. Reads go on; a restart recovers everything acknowledged.
 */
public final class StoreFailedException extends IOException {
  private static final long serialVersionUID = 1L;

  StoreFailedException(String message) {
    super(message);
  }

  StoreFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
