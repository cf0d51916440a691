package dev.weir.streams;

import java.nio.ByteBuffer;

/** The bytes of an append, complete. Whoever submits one hands it over. */
public sealed interface Payload {
  long bytes();

  /** Gives back what the payload holds; the store calls it once, from any thread. */
  void release();

  /** Has what lies in a file stay there when it is released: it is, or may be, part of a stream. */
  default void keep() {}

  /** No bytes: an append that only closes, or a stream created empty. */
  record None() implements Payload {
    @Override
    public long bytes() {
      return 0;
    }

    @Override
    public void release() {}
  }

  /**
   * Bytes in memory, which travel through the journal.
   *
   * @param contents at most {@link StreamStore#MAX_INLINE_BYTES}; left unchanged
   * @param releaser gives the memory back; may be called on any thread
   */
  record Inline(ByteBuffer contents, Runnable releaser) implements Payload {
    @Override
    public long bytes() {
      return contents.remaining();
    }

    @Override
    public void release() {
      releaser.run();
    }
  }

  /** Bytes that already lie, durable, in a file of their own: see {@link Spool}. */
  record Spooled(Spool spool, long fileId, long bytes) implements Payload {
    @Override
    public void keep() {
      spool.keep();
    }

    @Override
    public void release() {
      spool.abandonUnlessKept();
    }
  }
}
