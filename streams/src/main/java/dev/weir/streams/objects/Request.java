package dev.weir.streams.objects;

import java.util.concurrent.CompletableFuture;

/**
 * A call to a store that is under way. Whatever memory the call was given belongs to the store
 * until {@link #done} has ended: every attempt, late ones too, is over then.
 */
public interface Request<T> {
  /** The outcome. Completed on a thread of the store; what is attached must not block. */
  CompletableFuture<T> done();

  /** Asks for an early end, which may come late or not at all. */
  void cancel();
}
