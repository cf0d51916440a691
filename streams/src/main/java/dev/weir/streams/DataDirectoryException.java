package dev.weir.streams;

import java.io.IOException;

/**
 * The data directory cannot be used; the message is one line for the person who starts the node.
 */
public final class DataDirectoryException extends IOException {
  private static final long serialVersionUID = 1L;

  DataDirectoryException(String message) {
    super(message);
  }

  DataDirectoryException(String message, Throwable cause) {
    super(message, cause);
  }
}
