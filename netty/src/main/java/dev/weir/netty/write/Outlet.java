package dev.weir.netty.write;

import io.netty.buffer.ByteBufAllocator;

/** Where a {@link Producer} puts its messages. Used on the channel's event loop. */
public interface Outlet {

  /** Whether the channel can take another message. */
  boolean isReady();

  /** The channel's allocator. */
  ByteBufAllocator alloc();

  /**
   * Takes a message over, as {@link Owned#of(Object)} does. Also when the channel is not
   * {@linkplain #isReady ready}: then it is queued, as far as the bounds of the gate allow.
   */
  void write(Object message);

  /** Nothing more will be written. The future of the pull succeeds once everything was flushed. */
  void complete();

  /**
   * Gives up, with what was written so far sent. The future of the pull fails with the cause. From
   * any thread.
   */
  void fail(Throwable cause);

  /**
   * Has the producer asked again, from any thread: it had nothing to write, and now has.
   *
   * @throws java.util.concurrent.RejectedExecutionException if the event loop bounds its tasks, and
   *     takes no more now
   */
  void resume();
}
