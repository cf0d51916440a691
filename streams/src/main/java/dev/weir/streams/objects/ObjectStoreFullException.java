package dev.weir.streams.objects;

import java.io.IOException;
import java.util.Locale;

/** The store has no room. Nothing was written. */
public final class ObjectStoreFullException extends ObjectStoreException {
  private static final long serialVersionUID = 1L;

  /** With store and key. */
  public ObjectStoreFullException(String message, IOException cause) {
    super(message, cause);
  }

  /** Whether the operating system refused an operation for want of room. */
  public static boolean isFull(IOException error) {
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
}
