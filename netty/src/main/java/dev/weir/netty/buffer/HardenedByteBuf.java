package dev.weir.netty.buffer;

import dev.weir.memory.hardening.BlockHistory;
import dev.weir.memory.hardening.Misuse.Kind;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.IllegalReferenceCountException;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * A buffer over a hardened block. Whatever is done to it, or to a slice or a duplicate of it, after
 * its last release throws {@link IllegalReferenceCountException}, for ever, whose message and cause
 * say who allocated the buffer and who released it.
 */
/*
 * It is a buffer of its own, not another kind of WeirByteBuf, for the sake of those stacks. AbstractByteBuf checks in
 * `ensureAccessible`, which is final and throws a bare exception; what it asks is `refCnt() != 0`, unless the buffer is
 * an AbstractReferenceCountedByteBuf. So a dead buffer that finds itself asked by that check throws in its place.
 */
final class HardenedByteBuf extends CheckedByteBuf {
  private static final StackWalker WALKER = StackWalker.getInstance();

  private final WeirByteBuf memory;
  private BlockHistory history;

  /**
   * Takes a live buffer over, which nobody else has.
   *
   * @param history that of its block
   */
  HardenedByteBuf(WeirByteBuf memory, BlockHistory history) {
    super(memory.maxCapacity());
    this.memory = memory;
    this.history = history;
  }

  /** The buffer over the block. */
  WeirByteBuf memory() {
    return memory;
  }

  // The end of its life.

  @Override
  public int refCnt() {
    int count = memory.refCnt();
    if (count == 0 && isAskedByCheck()) {
      throw misused(Kind.USE_AFTER_RELEASE, "refCnt: 0");
    }
    return count;
  }

  /** Whether the caller is a check of Netty's that throws if the buffer is dead. */
  private static boolean isAskedByCheck() {
    return WALKER.walk(frames ->
        frames
            .skip(2) // this method and refCnt
            .map(StackWalker.StackFrame::getMethodName)
            .dropWhile(name -> name.startsWith("isAccessible") || name.startsWith("refCnt"))
            .findFirst()
            .filter(name -> name.equals("ensureAccessible") || name.equals("newComponent"))
            .isPresent());
  }

  private IllegalReferenceCountException misused(Kind kind, String what) {
    return new IllegalReferenceCountException(history.tell(kind, what), history.asCause());
  }

  /** The memory, for an access: also where Netty's own checks are switched off. */
  @Override
  WeirByteBuf live() {
    if (memory.refCnt() == 0) {
      throw misused(Kind.USE_AFTER_RELEASE, "refCnt: 0");
    }
    return memory;
  }

  /** A view of the memory was closed while it was in use, which is a mistake of the same kind. */
  @Override
  IllegalStateException explained(IllegalStateException e) {
    return memory.refCnt() == 0 && !(e instanceof IllegalReferenceCountException)
        ? misused(Kind.USE_AFTER_RELEASE, "refCnt: 0")
        : e;
  }

  @Override
  public boolean release() {
    return release(1);
  }

  @Override
  public boolean release(int decrement) {
    try {
      boolean last = memory.release(decrement);
      if (last) {
        history.release();
      }
      return last;
    } catch (IllegalReferenceCountException e) {
      throw misused(Kind.SECOND_RELEASE, String.valueOf(e.getMessage()));
    }
  }

  @Override
  public ByteBuf retain() {
    return retain(1);
  }

  @Override
  public ByteBuf retain(int increment) {
    try {
      memory.retain(increment);
      return this;
    } catch (IllegalReferenceCountException e) {
      throw misused(Kind.SECOND_RELEASE, String.valueOf(e.getMessage()));
    }
  }

  @Override
  public ByteBuf touch() {
    return this;
  }

  @Override
  public ByteBuf touch(Object hint) {
    memory.touch(hint);
    return this;
  }

  // Nature.

  @Override
  @SuppressWarnings("deprecation") // Netty's interface still asks every buffer for it.
  public ByteOrder order() {
    return memory.order();
  }

  @Override
  public ByteBufAllocator alloc() {
    return memory.alloc();
  }

  @Override
  public @Nullable ByteBuf unwrap() {
    return null;
  }

  @Override
  public boolean isDirect() {
    return true;
  }

  @Override
  public boolean isContiguous() {
    return true;
  }

  @Override
  public boolean hasArray() {
    return false;
  }

  @Override
  public byte[] array() {
    return memory.array();
  }

  @Override
  public int arrayOffset() {
    return memory.arrayOffset();
  }

  @Override
  public boolean hasMemoryAddress() {
    return memory.hasMemoryAddress();
  }

  @Override
  public long memoryAddress() {
    return live().memoryAddress();
  }

  // Capacity.

  @Override
  public int capacity() {
    return memory.capacity();
  }

  @Override
  public ByteBuf capacity(int newCapacity) {
    checkNewCapacity(newCapacity);
    WeirByteBuf live = live();
    if (newCapacity < live.capacity()) {
      trimIndicesToCapacity(newCapacity);
    }
    live.capacity(newCapacity);
    BlockHistory ofBlock = live.history();
    if (ofBlock != null) {
      history = ofBlock;
    } else if (history.isReleased()) {
      history = history.continued(); // Its block was released when it grew out of it.
    }
    return this;
  }

  @Override
  public int maxFastWritableBytes() {
    return Math.min(memory.memoryBytes(), maxCapacity()) - writerIndex();
  }
}
