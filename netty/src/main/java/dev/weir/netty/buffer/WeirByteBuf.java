package dev.weir.netty.buffer;

import dev.weir.memory.heap.Block;
import dev.weir.memory.heap.SizeClasses;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;

/**
 * A direct buffer over one {@link Block}.
 *
 * <p>The buffer object belongs to the slot: it is made at the slot's first allocation, rests there
 * as the block's attachment while the slot is free, and is opened again by the next one. While the
 * slot is free, the reference count is 0, so that a second release and any access throw {@code
 * IllegalReferenceCountException}.
 *
 * <p>A buffer whose leak is being tracked is {@linkplain #handedOutAs taken out of its slot}:
 * nothing but its user refers to it, so that the collector can tell when it was lost, and it is
 * never opened again, so that it stays dead after its release.
 *
 * <p>Invariant of a live buffer: {@code address() == block.address()}, and {@code capacity <=
 * blockBytes}.
 */
public final class WeirByteBuf extends NativeByteBuf {
  private BlockSource source;
  private Block block;
  private int blockBytes;
  private int capacity;
  private boolean restsInSlot = true;

  private WeirByteBuf(Block block, BlockSource source) {
    super(block.address());
    this.source = source;
    this.block = block;
    this.blockBytes = usableBytes(block);
  }

  /** A new buffer, closed, as the attachment of {@code block}. */
  static WeirByteBuf attachedTo(Block block, BlockSource source) {
    WeirByteBuf buffer = new WeirByteBuf(block, source);
    block.attachment(buffer);
    return buffer;
  }

  /** Whether this buffer is the one of {@code other}, whose attachment anybody may set. */
  boolean liesIn(Block other) {
    return block == other;
  }

  /** Starts a life: nobody else may refer to this buffer. */
  void open(BlockSource newSource, int newCapacity, int newMaxCapacity) {
    if (source != newSource) {
      source = newSource;
    }
    capacity = newCapacity;
    maxCapacity(newMaxCapacity);
    clear();
    markReaderIndex();
    markWriterIndex();
    resetRefCnt();
  }

  /**
   * What Netty's leak detector made of this buffer: the buffer itself, or a wrapper if it tracks
   * it. A tracked buffer is taken out of its slot, which gets another at its next allocation.
   *
   * @return {@code outer}
   */
  public ByteBuf handedOutAs(ByteBuf outer) {
    if (!(outer instanceof WeirByteBuf)) {
      block.attachment(null);
      restsInSlot = false;
    }
    return outer;
  }

  @Override
  protected void deallocate() {
    // The slot may be given out again, and this buffer opened by another thread, from this call on.
    block.release();
  }

  private static int usableBytes(Block block) {
    return (int) Math.min(block.size(), Integer.MAX_VALUE);
  }

  private void bind(Block newBlock) {
    block = newBlock;
    blockBytes = usableBytes(newBlock);
    relocate(newBlock.address());
  }

  // Capacity.

  @Override
  public int capacity() {
    return capacity;
  }

  @Override
  public ByteBuf capacity(int newCapacity) {
    checkNewCapacity(newCapacity);
    if (newCapacity > blockBytes) {
      grow(newCapacity);
    } else if (newCapacity < capacity) {
      trimIndicesToCapacity(newCapacity);
      shrinkRun(newCapacity);
    }
    capacity = newCapacity;
    return this;
  }

  /** Reports the block only: Netty makes all of it capacity before it asks for more. */
  @Override
  public int maxFastWritableBytes() {
    return Math.min(blockBytes, maxCapacity()) - writerIndex();
  }

  private void grow(int newCapacity) {
    if (block.tryGrow(newCapacity)) {
      bind(block);
      return;
    }
    moveTo(source.block(newCapacity), capacity);
  }

  private void moveTo(Block target, int keptBytes) {
    RawMemory.copy(address(), target.address(), keptBytes);
    Block old = block;
    if (restsInSlot) {
      exchangeAttachments(old, target);
    }
    bind(target);
    old.release();
  }

  /**
   * Each of two slots keeps one buffer: this one moves to {@code target}, and the one that rested
   * there to {@code old}.
   */
  private void exchangeAttachments(Block old, Block target) {
    if (target.attachment() instanceof WeirByteBuf resting) {
      resting.bind(old);
      old.attachment(resting);
    } else {
      old.attachment(null);
    }
    target.attachment(this);
  }

  /**
   * Moves to a smaller block if there is room for both: a run that gave up its end in place would
   * leave holes that the pool's bound does not account for.
   */
  private void shrinkRun(int newCapacity) {
    if (blockBytes > SizeClasses.MAX_SLOT_BYTES && newCapacity <= blockBytes >>> 1) {
      Block smaller = source.tryBlock(newCapacity);
      if (smaller != null) {
        moveTo(smaller, newCapacity);
      }
    }
  }

  @Override
  public ByteBufAllocator alloc() {
    return source.allocator();
  }

  @Override
  int memoryBytes() {
    return blockBytes;
  }

  @Override
  ByteBuffer view(int index, int length) {
    return block.segment().asSlice(index, length).asByteBuffer();
  }
}
