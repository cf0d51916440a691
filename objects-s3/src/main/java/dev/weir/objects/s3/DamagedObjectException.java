package dev.weir.objects.s3;

import dev.weir.streams.objects.ObjectStoreException;

/** Bytes that are not those that were written, or not all of them: perhaps damaged on their way. */
final class DamagedObjectException extends ObjectStoreException {
  private static final long serialVersionUID = 1L;

  DamagedObjectException(String message) {
    super(message, null);
  }
}
