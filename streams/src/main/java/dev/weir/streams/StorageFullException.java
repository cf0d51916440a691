package dev.weir.streams;

import java.io.IOException;
import java.util.Locale;

/** No room on the disk for an append. Nothing of it was kept; the stream is as it was. */
public final class StorageFullException extends IOException {
  private static final long serialVersionUID = 1L;

  StorageFullException(IOException cause) {
    super("the disk of the data directory is full (" + cause.getMessage() + ")", cause);
  }

  /** Whether the operating system refused {@code error}'s operation for want of room. */
  public static boolean isFull(IOException error) {
    if (error instanceof StorageFullException) {
      return true;
    }
    String message = error.getMessage();
    if (message == null) {
      return false;
    }
    String reason = message.toLowerCase(Locale.ROOT);
    // ENOSPC, EDQUOT, EFBIG: the JDK has no type for them, only the C library's text.
    return reason.contains("no space left")
        || reason.contains("quota exceeded")
        || reason.contains("file too large");
  }

  static IOException wrap(IOException error) {
    return isFull(error) && !(error instanceof StorageFullException)
        ? new StorageFullException(error)
        : error;
  }
}
