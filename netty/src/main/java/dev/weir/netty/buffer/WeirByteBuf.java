package dev.weir.netty.buffer;

import dev.weir.memory.Grant;
import dev.weir.memory.hardening.BlockHistory;
import dev.weir.memory.heap.BlockHome;
import dev.weir.memory.heap.SizeClasses;
import dev.weir.memory.heap.Tenants;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A direct buffer over one block: a slot of a slab, or a run of pages.
 *
 * <p>The buffer object belongs to the slot: it is made at the slot's first allocation, rests there
 * while the slot is free, and is opened again by the next one. That of a run rests with the object
 * of the run, until another run uses both. While it rests, the reference count is 0, so that a
 * second release and any access throw {@code IllegalReferenceCountException}.
 *
 * <p>A {@linkplain #DETACHED detached} buffer belongs to its user alone and is never opened again:
 * for leak detection, which must see that nobody refers to it, and whose buffers stay dead.
 */
/*
 * A buffer that growth has moved to another block is detached from then on: the slot where it rested still refers to it,
 * and sees `GONE` in its place, because that is written before the slot is freed.
 */
public class WeirByteBuf extends NativeByteBuf {
  /** In {@link #place}: growth has moved it, so the slot where it was left will not give it out. */
  private static final int GONE = 1 << 30;

  /** In {@link #place}: a mark has been set since the marks were last cleared. */
  private static final int MARKED = 1 << 29;

  /** In {@link #place}: the number of the block at its home. Slabs have fewer slots. */
  private static final int NUMBER = MARKED - 1;

  /** Of slots: the buffer that rests in the slot, or a new one, which will. */
  static final Tenants<WeirByteBuf> RESTING =
      (home, number, found) -> {
        if (found instanceof WeirByteBuf resting && (resting.place & GONE) == 0) {
          resting.clearMarks();
          return resting;
        }
        WeirByteBuf fresh = new WeirByteBuf(home, number);
        home.leave(number, fresh);
        return fresh;
      };

  /** Of what was left at a free slot: whether it is a buffer that is only to be opened. */
  static final Predicate<Object> AT_REST =
      found -> found instanceof WeirByteBuf resting && resting.isAtRest();

  /** As {@link #RESTING}, of a run, which may lie elsewhere than the last time. */
  private static final Tenants<WeirByteBuf> RESTING_RUN =
      (home, number, found) -> {
        WeirByteBuf buffer = RESTING.settle(home, number, found);
        buffer.relocate(home.blockAddress(number));
        return buffer;
      };

  /** Of blocks of so many bytes: the buffer that rests there, or a new one, which will. */
  static Tenants<WeirByteBuf> resting(int bytes) {
    return bytes <= SizeClasses.MAX_SLOT_BYTES ? RESTING : RESTING_RUN;
  }

  /** A new buffer that nobody else will ever see. */
  static final Tenants<WeirByteBuf> DETACHED =
      (home, number, found) -> new WeirByteBuf(home, number);

  private @SuppressWarnings("NullAway.Init") BlockSource source;
  private BlockHome home;

  /**
   * The block's number there; for few with {@link #GONE} or {@link #MARKED}, since a field of their
   * own would make the buffer longer than 64 bytes.
   */
  private int place;

  private int capacity;

  WeirByteBuf(BlockHome home, int number) {
    super(home.blockAddress(number));
    this.home = home;
    this.place = number;
  }

  /** Starts a life: nobody else may refer to this buffer. */
  final void open(BlockSource newSource, int newCapacity, int newMaxCapacity) {
    if (source != newSource) {
      source = newSource;
    }
    capacity = newCapacity;
    if (maxCapacity() != newMaxCapacity) {
      maxCapacity(newMaxCapacity);
    }
    clear();
    resetRefCnt();
  }

  /** Of a buffer that was found at a free slot: whether {@link #open} is all that it needs. */
  final boolean isAtRest() {
    return place <= NUMBER;
  }

  private int number() {
    return place & NUMBER;
  }

  private void clearMarks() {
    if (place > NUMBER) {
      clear();
      super.markReaderIndex();
      super.markWriterIndex();
      place = number();
    }
  }

  @Override
  protected void deallocate() {
    // The slot may be given out again, and this buffer opened by another thread, from this call on.
    source.end(home, number());
  }

  // Capacity.

  @Override
  public int capacity() {
    return capacity;
  }

  @Override
  public ByteBuf capacity(int newCapacity) {
    checkNewCapacity(newCapacity);
    if (newCapacity > memoryBytes()) {
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
    return Math.min(memoryBytes(), maxCapacity()) - writerIndex();
  }

  private void grow(int newCapacity) {
    if (source.tryGrow(home, newCapacity)) {
      grown(newCapacity);
    } else {
      moveTo(source.growingPlace(home, newCapacity), capacity);
      source = source.resized(newCapacity, memoryBytes());
    }
  }

  private void grown(int newCapacity) {
    relocate(home.blockAddress(number()));
    source = source.resized(newCapacity, memoryBytes());
  }

  /**
   * Comes to at least that capacity by pages of a grant, where it lies.
   *
   * @return false if its block cannot grow so; nothing has changed then
   */
  public final boolean tryGrow(int newCapacity, Grant grant) {
    checkNewCapacity(newCapacity);
    if (newCapacity > memoryBytes()) {
      if (!source.tryGrow(home, newCapacity, grant)) {
        return false;
      }
      grown(newCapacity);
    }
    capacity = Math.max(capacity, newCapacity);
    return true;
  }

  private void moveTo(Place target, int keptBytes) {
    long newAddress = target.home().blockAddress(target.number());
    try {
      RawMemory.copy(address(), newAddress, keptBytes);
    } catch (Throwable noHeap) {
      // The first copy of all needs some.
      source.giveBack(target.home(), target.number());
      throw noHeap;
    }
    BlockHome oldHome = home;
    int oldNumber = number();
    home = target.home();
    place = target.number() | GONE | (place & MARKED);
    // Before anything that can fail: the new block may be shorter than the old capacity.
    capacity = keptBytes;
    relocate(newAddress);
    source.giveBack(oldHome, oldNumber);
  }

  /**
   * Moves to a smaller block if there is room for both: a run that gave up its end in place would
   * leave holes that the pool's bound does not account for, and a room stands for a block that has
   * outgrown the rooms of the length below.
   */
  private void shrinkRun(int newCapacity) {
    int blockBytes = memoryBytes();
    if (blockBytes > SizeClasses.MAX_SLOT_BYTES && newCapacity <= blockBytes >>> 1) {
      Place smaller = source.tryPlace(newCapacity);
      if (smaller != null) {
        moveTo(smaller, newCapacity);
        source = source.resized(newCapacity, memoryBytes());
      }
    }
  }

  // Marks.

  @Override
  public final ByteBuf markReaderIndex() {
    place |= MARKED;
    return super.markReaderIndex();
  }

  @Override
  public final ByteBuf markWriterIndex() {
    place |= MARKED;
    return super.markWriterIndex();
  }

  /** Netty's pipelines call it with the context of each handler that the buffer comes to. */
  @Override
  public ByteBuf touch(Object hint) {
    source.touched(hint);
    return this;
  }

  @Override
  public ByteBufAllocator alloc() {
    return source.allocator();
  }

  /** Who allocated its block, and who released it, if that is hardened; null if it is not. */
  final @Nullable BlockHistory history() {
    return home.history();
  }

  @Override
  int memoryBytes() {
    return (int) Math.min(home.blockBytes(), Integer.MAX_VALUE);
  }

  @Override
  ByteBuffer view(int index, int length) {
    return home.segment(number()).asSlice(index, length).asByteBuffer();
  }
}
