package dev.weir.lab.trace;

import java.io.IOException;

/** A file is no trace, or a damaged one. The message is one line that names the file. */
public final class TraceFormatException extends IOException {
  private static final long serialVersionUID = 1;

  TraceFormatException(String message) {
    super(message);
  }
}
