package dev.weir.streams.objects;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A store that could not do what it was asked for; the message names the store and the key. */
public class ObjectStoreException extends IOException {
  private static final long serialVersionUID = 1L;

  /** With the reason of the store, if it gave one. */
  public ObjectStoreException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
