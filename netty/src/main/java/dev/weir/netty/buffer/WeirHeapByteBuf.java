package dev.weir.netty.buffer;

import dev.weir.memory.array.ArrayFactory;
import dev.weir.memory.array.ArraySlab;
import io.netty.buffer.ByteBufAllocator;

/**
 * A heap buffer over one slot of an array.
 *
 * <p>The buffer object belongs to the slot, as a {@link WeirByteBuf} does: it rests there while the
 * slot is free, with a reference count of 0. A {@linkplain #DETACHED detached} buffer belongs to
 * its user alone, and is never opened again.
 */
class WeirHeapByteBuf extends ArrayByteBuf {
  /** The buffer that rests in the slot, or a new one, which will. */
  static final ArrayFactory<WeirHeapByteBuf> RESTING =
      (home, number, found) -> {
        if (found instanceof WeirHeapByteBuf resting && resting.isStillThere()) {
          return resting;
        }
        WeirHeapByteBuf fresh = new WeirHeapByteBuf(home, number);
        home.leave(number, fresh);
        return fresh;
      };

  /** A new buffer that nobody else will ever see. */
  static final ArrayFactory<WeirHeapByteBuf> DETACHED =
      (home, number, found) -> new WeirHeapByteBuf(home, number);

  private @SuppressWarnings("NullAway.Init") ArraySource source;
  private ArraySlab home;

  WeirHeapByteBuf(ArraySlab home, int number) {
    super(home.array(), home.offset(number), number);
    this.home = home;
  }

  /** Starts a life: nobody else may refer to this buffer. */
  final void open(ArraySource newSource, int newCapacity, int newMaxCapacity) {
    if (source != newSource) {
      source = newSource;
    }
    open(newCapacity, newMaxCapacity);
  }

  @Override
  protected void deallocate() {
    // The slot may be given out again, and this buffer opened by another thread, from this call on.
    source.giveBack(home, number());
  }

  @Override
  void growMemory(int newCapacity) {
    moveTo(source.place(newCapacity), capacity());
  }

  /** An array of its own is exchanged for one of half its length, if there is room for both. */
  @Override
  void shrinkMemory(int newCapacity) {
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
    leaveFor(target.number());
    relocate(newHome.array(), newOffset);
    source.giveBack(oldHome, oldNumber);
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
