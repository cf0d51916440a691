package dev.weir.streams;

import java.util.concurrent.CompletableFuture;

/** What the committer is asked to do. Its answer is completed on the committer's thread. */
sealed interface Command {
  /** Gives back what the command holds; called once, before the answer is given. */
  void release();

  /** Has a file stay, if the command holds one, that {@link #release} would delete. */
  default void keepFile() {}

  void fail(Throwable cause);

  record Append(AppendRequest request, Payload payload, CompletableFuture<AppendOutcome> answer)
      implements Command {
    @Override
    public void release() {
      payload.release();
    }

    @Override
    public void keepFile() {
      payload.keep();
    }

    @Override
    public void fail(Throwable cause) {
      answer.completeExceptionally(cause);
    }
  }

  record Create(CreateRequest request, Payload payload, CompletableFuture<CreateOutcome> answer)
      implements Command {
    @Override
    public void release() {
      payload.release();
    }

    @Override
    public void keepFile() {
      payload.keep();
    }

    @Override
    public void fail(Throwable cause) {
      answer.completeExceptionally(cause);
    }
  }

  /** {@code expiredOnly}: leave the stream alone when it has been used meanwhile. */
  record Delete(String path, boolean expiredOnly, CompletableFuture<DeleteOutcome> answer)
      implements Command {
    @Override
    public void release() {}

    @Override
    public void fail(Throwable cause) {
      answer.completeExceptionally(cause);
    }
  }

  /** Has everything flushed that was acknowledged before; answered when it is. */
  record Flush(CompletableFuture<Void> answer) implements Command {
    @Override
    public void release() {}

    @Override
    public void fail(Throwable cause) {
      answer.completeExceptionally(cause);
    }
  }

  /** A flush has ended: the next may be due. */
  record Flushed() implements Command {
    @Override
    public void release() {}

    @Override
    public void fail(Throwable cause) {}
  }

  /** The last command: everything before it is done when its answer comes. */
  record Stop(CompletableFuture<Void> answer) implements Command {
    @Override
    public void release() {}

    @Override
    public void fail(Throwable cause) {
      answer.completeExceptionally(cause);
    }
  }
}
