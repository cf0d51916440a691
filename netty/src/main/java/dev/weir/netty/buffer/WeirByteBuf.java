package dev.weir.netty.buffer;

import dev.weir.memory.Grant;
import dev.weir.memory.hardening.BlockHistory;
import dev.weir.memory.heap.BlockContainer;
import dev.weir.memory.heap.BlockFactory;
import dev.weir.memory.heap.SizeClasses;
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
public class WeirByteBuf extends NativeByteBuf {
  /** Of slots: the buffer that rests in the slot, or a new one, which will. */
  static final BlockFactory<WeirByteBuf> RESTING =
      (home, number, found) -> {
        if (found instanceof WeirByteBuf resting && resting.isStillThere()) {
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
  private static final BlockFactory<WeirByteBuf> RESTING_RUN =
      (home, number, found) -> {
        WeirByteBuf buffer = RESTING.create(home, number, found);
        buffer.relocate(home.blockAddress(number));
        return buffer;
      };

  /** Of blocks of so many bytes: the buffer that rests there, or a new one, which will. */
  static BlockFactory<WeirByteBuf> resting(int bytes) {
    return bytes <= SizeClasses.MAX_SLOT_BYTES ? RESTING : RESTING_RUN;
  }

  /** A new buffer that nobody else will ever see. */
  static final BlockFactory<WeirByteBuf> DETACHED =
      (home, number, found) -> new WeirByteBuf(home, number);

  private @SuppressWarnings("NullAway.Init") BlockSource source;
  private BlockContainer home;

  WeirByteBuf(BlockContainer home, int number) {
    super(home.blockAddress(number), number);
    this.home = home;
  }

  /** Starts a life: nobody else may refer to this buffer. */
  final void open(BlockSource newSource, int newCapacity, int newMaxCapacity) {
    if (source != newSource) {
      source = newSource;
    }
    open(newCapacity, newMaxCapacity);
  }

  @Override
  protected void deallocate() {
    // The slot may be given out again, and this buffer opened by another thread, from this call on.
    source.end(home, number());
  }

  // Capacity.

  @Override
  void growMemory(int newCapacity) {
    if (source.tryGrow(home, newCapacity)) {
      grown(newCapacity);
    } else {
      moveTo(source.growingPlace(home, newCapacity), capacity());
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
    setCapacity(Math.max(capacity(), newCapacity));
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
    BlockContainer oldHome = home;
    int oldNumber = number();
    home = target.home();
    leaveFor(target.number());
    // Before anything that can fail: the new block may be shorter than the old capacity.
    setCapacity(keptBytes);
    relocate(newAddress);
    source.giveBack(oldHome, oldNumber);
  }

  /**
   * Moves to a smaller block if there is room for both: a run that gave up its end in place would
   * leave holes that the pool's bound does not account for, and a room stands for a block that has
   * outgrown the rooms of the length below.
   */
  @Override
  void shrinkMemory(int newCapacity) {
    int blockBytes = memoryBytes();
    if (blockBytes > SizeClasses.MAX_SLOT_BYTES && newCapacity <= blockBytes >>> 1) {
      Place smaller = source.tryPlace(newCapacity);
      if (smaller != null) {
        moveTo(smaller, newCapacity);
        source = source.resized(newCapacity, memoryBytes());
      }
    }
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
