package dev.weir.netty.write;

/**
 * A message that its sender's own code takes back, once the write is over, or the pipeline before.
 */
final class ClosedPart<T> implements OwnedPart {
  private static final System.Logger LOG = System.getLogger(ClosedPart.class.getName());

  /** What takes a message back. */
  interface Closer<T> {
    void close(T message) throws Exception;
  }

  private final T message;
  private final Closer<? super T> closer;
  private boolean closed;

  ClosedPart(T message, Closer<? super T> closer) {
    this.message = message;
    this.closer = closer;
  }

  @Override
  public boolean isUnused() {
    return !closed;
  }

  @Override
  public boolean isUntouched() {
    return isUnused();
  }

  @Override
  public boolean isGone() {
    return closed;
  }

  @Override
  public void settle() {
    drop();
  }

  @Override
  public void drop() {
    try {
      close();
    } catch (Exception failure) {
      LOG.log(
          System.Logger.Level.WARNING,
          "a message of type " + message.getClass().getName() + " could not be released",
          failure);
    }
  }

  /** Closes the message unless that was done before, and throws what that throws. */
  void close() throws Exception {
    if (!closed) {
      closed = true;
      closer.close(message);
    }
  }
}
