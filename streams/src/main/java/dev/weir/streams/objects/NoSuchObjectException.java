package dev.weir.streams.objects;

/** There is no object under the key. */
public final class NoSuchObjectException extends ObjectStoreException {
  private static final long serialVersionUID = 1L;

  /** With store and key. */
  public NoSuchObjectException(String message) {
    super(message, null);
  }
}
