package dev.weir.objects.s3.http;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * One call of the SDK, and the exchanges on the network that it begins. It has ended when the call
 * has, and no exchange holds a buffer of it: only then may their memory be used again.
 */
public final class Attempt {
  private final List<Runnable> aborts = new ArrayList<>();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  /** The call itself, and its exchanges. Under this object's monitor, as all below. */
  private int open = 1;

  private boolean isCancelled;

  /** Completes, always with success, when everything is over. */
  public CompletableFuture<?> ended() {
    return ended;
  }

  /** The call of the SDK has ended. Once. */
  public void callEnded() {
    close();
  }

  /**
   * An exchange begins.
   *
   * @param abort ends it early; called at most once, on any thread
   * @return false: the attempt was cancelled, and the exchange must not begin
   */
  boolean tryBegin(Runnable abort) {
    synchronized (this) {
      if (isCancelled) {
        return false;
      }
      open++;
      aborts.add(abort);
      return true;
    }
  }

  /** An exchange holds nothing any more. Once for each that began. */
  void exchangeEnded() {
    close();
  }

  private void close() {
    boolean isLast;
    synchronized (this) {
      isLast = --open == 0;
    }
    if (isLast) {
      ended.complete(null);
    }
  }

  /** Ends its exchanges early, and begins no others. */
  public void cancel() {
    List<Runnable> running;
    synchronized (this) {
      isCancelled = true;
      running = List.copyOf(aborts);
      aborts.clear();
    }
    running.forEach(Runnable::run);
  }
}
