package dev.weir.lab.grpc;

import dev.weir.lab.grpc.ContainerCalls.Pieces;
import dev.weir.replication.net.RateLimit;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** What one connection brings: the next message is asked for when the rate allows it. */
final class Part implements ClientResponseObserver<Pieces, IncomingPiece> {
  /** Messages that are asked for before one has come: one is under way while one is written. */
  private static final int AHEAD = 2;

  private final ContainerFiles files;
  private final RateLimit rate;
  private final ScheduledExecutorService timer;
  private final LongAdder receivedBytes;
  private final CompletableFuture<Void> end = new CompletableFuture<>();
  private volatile Runnable askForNext = () -> {};
  private volatile Runnable cancel = () -> {};

  Part(
      ContainerFiles files,
      RateLimit rate,
      ScheduledExecutorService timer,
      LongAdder receivedBytes) {
    this.files = files;
    this.rate = rate;
    this.timer = timer;
    this.receivedBytes = receivedBytes;
  }

  /** Completed when all has come, or it failed. */
  CompletableFuture<Void> end() {
    return end;
  }

  @Override
  public void beforeStart(ClientCallStreamObserver<Pieces> call) {
    call.disableAutoRequestWithInitial(AHEAD);
    askForNext = () -> call.request(1);
    cancel = () -> call.cancel("failed here", null);
  }

  @Override
  public void onNext(IncomingPiece piece) {
    try {
      int bytes = piece.writeTo(files);
      receivedBytes.add(bytes);
      long waitNanos = rate.take(bytes, System.nanoTime());
      if (waitNanos == 0) {
        askForNext.run();
      } else {
        timer.schedule(askForNext, waitNanos, TimeUnit.NANOSECONDS);
      }
    } catch (IOException | RuntimeException failed) {
      end.completeExceptionally(failed);
      cancel.run();
    }
  }

  @Override
  public void onError(Throwable failed) {
    end.completeExceptionally(failed);
  }

  @Override
  public void onCompleted() {
    end.complete(null);
  }
}
