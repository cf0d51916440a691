package dev.weir.server.tls;

import org.jspecify.annotations.Nullable;

/** A certificate or a key that cannot be used; the message says which file, why, and what to do. */
public final class TlsFileException extends Exception {
  private static final long serialVersionUID = 1;

  TlsFileException(String message) {
    super(message);
  }

  TlsFileException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
