package dev.weir.streams.objects;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A call to a store that is under way. Whatever memory the call was given belongs to the store
 * until {@link #done} has ended: every attempt, late ones too, is over then.
 */
public interface Request<T extends @Nullable Object> {
  /**
   * The outcome. Completed on a thread of the store; what is attached must not block. It is the
   * store's to complete: nobody else does, nor cancels it.
   */
  CompletableFuture<T> done();

  /** Asks for an early end, which may come late or not at all. */
  void cancel();
}
