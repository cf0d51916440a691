package dev.weir.streams.objects;

/** The object is not, or no longer, as a write or a read demanded. */
public final class PreconditionFailedException extends ObjectStoreException {
  private static final long serialVersionUID = 1L;

  /** With store, key and condition. */
  public PreconditionFailedException(String message) {
    super(message, null);
  }
}
