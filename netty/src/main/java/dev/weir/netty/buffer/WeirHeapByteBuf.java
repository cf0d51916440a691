package dev.weir.netty.buffer;

import dev.weir.memory.array.ArraySlab;
import dev.weir.memory.array.ArrayTenants;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * A heap buffer over one slot of an array.
 *
 * <p>The buffer object belongs to the slot, as a {@link WeirByteBuf} does: it rests there while the
 * slot is free, with a reference count of 0. A {@linkplain #DETACHED detached} buffer belongs to
 * its user alone, and is never opened again.
 */
class WeirHeapByteBuf extends ArrayByteBuf {
  /** In {@link #place}: growth has moved it, so the slot where it was left will not give it out. */
  private static final int GONE = 1 << 30;

  /** In {@link #place}: a mark has been set since the marks were last cleared. */
  private static final int MARKED = 1 << 29;

  /** In {@link #place}: the number of the slot. */
  private static final int NUMBER = MARKED - 1;

  /** The buffer that rests in the slot, or a new one, which will. */
  static final ArrayTenants<WeirHeapByteBuf> RESTING =
      (home, number, found) -> {
        if (found instanceof WeirHeapByteBuf resting && (resting.place & GONE) == 0) {
          resting.clearMarks();
          return resting;
        }
        WeirHeapByteBuf fresh = new WeirHeapByteBuf(home, number);
        home.leave(number, fresh);
        return fresh;
      };

  /** A new buffer that nobody else will ever see. */
  static final ArrayTenants<WeirHeapByteBuf> DETACHED =
      (home, number, found) -> new WeirHeapByteBuf(home, number);

  private @SuppressWarnings("NullAway.Init") ArraySource source;
  private ArraySlab home;
  private int place;
  private int capacity;

  WeirHeapByteBuf(ArraySlab home, int number) {
    super(home.array(), home.offset(number));
    this.home = home;
    this.place = number;
  }

  /** Starts a life: nobody else may refer to this buffer. */
  final void open(ArraySource newSource, int newCapacity, int newMaxCapacity) {
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
    source.giveBack(home, number());
  }

  @Override
  public int capacity() {
    return capacity;
  }

  @Override
  public ByteBuf capacity(int newCapacity) {
    checkNewCapacity(newCapacity);
    if (newCapacity > memoryBytes()) {
      moveTo(source.place(newCapacity), capacity);
    } else if (newCapacity < capacity) {
      trimIndicesToCapacity(newCapacity);
      shrink(newCapacity);
    }
    capacity = newCapacity;
    return this;
  }

  /** Reports the slot only: Netty makes all of it capacity before it asks for more. */
  @Override
  public int maxFastWritableBytes() {
    return Math.min(memoryBytes(), maxCapacity()) - writerIndex();
  }

  /** An array of its own is exchanged for one of half its length, if there is room for both. */
  private void shrink(int newCapacity) {
    if (source.isArrayOfItsOwn(memoryBytes()) && newCapacity <= memoryBytes() >>> 1) {
      ArraySource.Place smaller = source.tryPlace(newCapacity);
      if (smaller != null) {
        moveTo(smaller, newCapacity);
      }
    }
  }

  private void moveTo(ArraySource.Place target, int keptBytes) {
    ArraySlab newHome = target.home();
    int newOffset = newHome.offset(target.number());
    copyTo(newHome.array(), newOffset, keptBytes);
    ArraySlab oldHome = home;
    int oldNumber = number();
    home = newHome;
    place = target.number() | GONE | (place & MARKED);
    relocate(newHome.array(), newOffset);
    source.giveBack(oldHome, oldNumber);
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

  @Override
  public ByteBufAllocator alloc() {
    return source.allocator();
  }

  @Override
  int memoryBytes() {
    return home.slotBytes();
  }
}
