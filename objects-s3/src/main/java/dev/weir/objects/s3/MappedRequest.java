package dev.weir.objects.s3;

import dev.weir.objects.s3.retry.Retried;
import dev.weir.streams.objects.ObjectStoreException;
import dev.weir.streams.objects.Request;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A call of the SDK as a caller sees it: with other values and other errors. */
final class MappedRequest<S, T extends @Nullable Object> implements Request<T> {
  /** Makes the caller's value of the SDK's. */
  interface Mapper<S, T extends @Nullable Object> {
    T map(S value) throws ObjectStoreException;
  }

  private final Retried<S> call;
  private final CompletableFuture<T> done = new CompletableFuture<>();

  MappedRequest(Retried<S> call, Mapper<S, T> mapper, UnaryOperator<Throwable> translate) {
    this.call = call;
    call.done()
        .whenComplete((value, error) -> {
          if (error != null) {
            done.completeExceptionally(translate.apply(error));
            return;
          }
          try {
            done.complete(mapper.map(value));
          } catch (ObjectStoreException | RuntimeException e) {
            done.completeExceptionally(translate.apply(e));
          }
        });
  }

  @Override
  public CompletableFuture<T> done() {
    return done;
  }

  @Override
  public void cancel() {
    call.cancel();
  }
}
