package dev.weir.netty.write;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.DefaultByteBufHolder;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.PendingWriteQueue;
import io.netty.util.IllegalReferenceCountException;
import org.jspecify.annotations.Nullable;

/**
 * Messages that wait in a handler to be written, in order. The bytes of buffers count for the
 * channel's writability, as those that it has queued itself. Used on the channel's event loop.
 *
 * <p>The count is that of Netty's {@link PendingWriteQueue}, which drops a message where it fails
 * to hand it on, and does not tell whether it has. So it holds stand-ins that own nothing, and the
 * messages stay here until somebody has them.
 */
final class WaitingWrites {
  private final PendingWriteQueue counted;
  private @Nullable Entry first;
  private @Nullable Entry last;
  private int size;

  /**
   * Nothing waits in the handler of {@code ctx} yet, which is in the pipeline.
   *
   * @param ctx of the channel whose writability they count for
   */
  WaitingWrites(ChannelHandlerContext ctx) {
    counted = new PendingWriteQueue(ctx);
  }

  /** A message that waits. */
  static final class Entry extends DefaultByteBufHolder {
    private final Object message;
    private final ChannelPromise promise;
    private @Nullable Entry next;

    private Entry(Object message, ChannelPromise promise) {
      super(message instanceof ByteBuf bytes ? bytes : Unpooled.EMPTY_BUFFER);
      this.message = message;
      this.promise = promise;
    }

    /** Of whoever has taken the entry. */
    Object message() {
      return message;
    }

    /** Hears what becomes of the message. */
    ChannelPromise promise() {
      return promise;
    }

    /** The count is over: nothing of the message is Netty's. */
    @Override
    public boolean release() {
      return false;
    }

    private void fail(Throwable cause) {
      try {
        Unwritten.release(message);
      } catch (IllegalReferenceCountException released) {
        // By somebody else: that harms nobody else.
      } finally {
        promise.tryFailure(cause);
      }
    }
  }

  /**
   * Adds a message at the end. If this fails, it is released and does not wait; {@code promise} is
   * not told.
   */
  void add(Object message, ChannelPromise promise) {
    Entry entry;
    try {
      entry = new Entry(message, promise);
      counted.add(entry, promise);
    } catch (Throwable failure) {
      Unwritten.release(message);
      throw failure;
    }
    append(entry);
  }

  private void append(Entry entry) {
    if (last == null) {
      first = entry;
    } else {
      last.next = entry;
    }
    last = entry;
    size++;
  }

  /** How many wait. */
  int size() {
    return size;
  }

  /**
   * Takes the first, which is the caller's from now on; null if nothing waits. If this fails, as
   * where the loop takes no task that would tell that the channel is writable again, its message is
   * released and its promise told.
   */
  @Nullable Entry poll() {
    Entry entry = remove();
    if (entry != null) {
      try {
        counted.remove();
      } catch (Throwable noTask) {
        entry.fail(noTask);
        throw noTask;
      }
    }
    return entry;
  }

  private @Nullable Entry remove() {
    Entry entry = first;
    if (entry != null) {
      first = entry.next;
      last = first == null ? null : last;
      size--;
    }
    return entry;
  }

  /** Releases all messages, also those that are added meanwhile, and tells their promises. */
  void failAll(Throwable cause) {
    for (Entry entry = remove(); entry != null; entry = remove()) {
      uncount();
      entry.fail(cause);
    }
    while (counted.size() > 0) {
      uncount(); // What was counted and could not be added.
    }
  }

  private void uncount() {
    try {
      counted.remove();
    } catch (Throwable noTask) {
      // It counts no more all the same.
    }
  }
}
