package dev.weir.streams.objects.directory;

import dev.weir.streams.objects.Request;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A call to a directory: waits for a thread, runs on it, and ends. */
final class FileRequest<T extends @Nullable Object> implements Request<T>, Runnable {
  /** What the call does. */
  interface Work<T extends @Nullable Object> {
    T run(FileRequest<T> request) throws IOException;
  }

  private enum State {
    /** Waits for a thread. */
    QUEUED,
    /** A thread has it, and ends it. */
    RUNNING,
    /** Cancelled before a thread had it. */
    CANCELLED
  }

  private final Work<T> work;
  private final AtomicReference<State> state = new AtomicReference<>(State.QUEUED);
  private final CompletableFuture<T> done = new CompletableFuture<>();
  private volatile boolean isCancelled;

  FileRequest(Work<T> work) {
    this.work = work;
  }

  @Override
  public void run() {
    if (!state.compareAndSet(State.QUEUED, State.RUNNING)) {
      return;
    }
    try {
      done.complete(work.run(this));
    } catch (Throwable e) {
      done.completeExceptionally(e);
    }
  }

  /** Ends it without running. */
  void refuse(IOException reason) {
    state.set(State.CANCELLED);
    done.completeExceptionally(reason);
  }

  void checkCancelled() {
    if (isCancelled) {
      throw new CancellationException("the request was cancelled");
    }
  }

  @Override
  public CompletableFuture<T> done() {
    return done;
  }

  @Override
  public void cancel() {
    isCancelled = true;
    if (state.compareAndSet(State.QUEUED, State.CANCELLED)) {
      done.completeExceptionally(new CancellationException("the request was cancelled"));
    }
  }
}
