package dev.weir.netty.write;

import java.util.function.Consumer;

/** A message that its sender's own code takes back, once the write is over. */
final class ClosedPart<T> implements OwnedPart {
  private static final System.Logger LOG = System.getLogger(ClosedPart.class.getName());

  private final T message;
  private final Consumer<? super T> closer;
  private boolean closed;

  ClosedPart(T message, Consumer<? super T> closer) {
    this.message = message;
    this.closer = closer;
  }

  @Override
  public void countOnItsWay(BytesOnTheirWay.OfOneWrite onTheirWay) {
    onTheirWay.count(message);
  }

  @Override
  public boolean isUnused() {
    return !closed;
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
    if (closed) {
      return;
    }
    closed = true;
    try {
      closer.accept(message);
    } catch (RuntimeException failure) {
      LOG.log(
          System.Logger.Level.WARNING,
          "a message of type " + message.getClass().getName() + " could not be released",
          failure);
    }
  }
}
