package dev.weir.objects.s3;

import dev.weir.streams.objects.ObjectStoreException;

/** A service that does not hold to the conditions of writes: it can coordinate no nodes. */
public final class UnsafeStoreException extends ObjectStoreException {
  private static final long serialVersionUID = 1L;

  /** With the store, and what it did. */
  public UnsafeStoreException(String message) {
    super(message, null);
  }
}
