package dev.weir.streams;

import dev.weir.streams.objects.ObjectStoreFullException;
import java.io.IOException;

/** No room on the disk for an append. Nothing of it was kept; the stream is as it was. */
public final class StorageFullException extends IOException {
  private static final long serialVersionUID = 1L;

  StorageFullException(IOException cause) {
    super("the disk of the data directory is full (" + cause.getMessage() + ")", cause);
  }

  /** Whether the operating system refused {@code error}'s operation for want of room. */
  public static boolean isFull(IOException error) {
    return error instanceof StorageFullException || ObjectStoreFullException.isFull(error);
  }

  static IOException wrap(IOException error) {
    return isFull(error) && !(error instanceof StorageFullException)
        ? new StorageFullException(error)
        : error;
  }
}
