package dev.weir.memory.array;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A pool of arrays with a limit that moves, and slots as tests hold them. */
final class ArraysUnderTest {
  final AtomicLong limitBytes;
  int begun;
  final ArrayPool pool;

  ArraysUnderTest(long limitBytes) {
    this.limitBytes = new AtomicLong(limitBytes);
    pool = new ArrayPool(this.limitBytes::get, /* minStripes= */ 2, () -> begun++);
  }

  /** One slot in use. */
  record Slot(ArraySlab home, int number) {
    static final ArrayFactory<Slot> FACTORY = (home, number, found) -> new Slot(home, number);

    void free() {
      home.free(number);
    }

    void fill(int contents) {
      for (int i = 0; i < home.slotBytes(); i++) {
        home.array()[home.offset(number) + i] = (byte) (contents + i);
      }
    }

    boolean isFilledWith(int contents) {
      for (int i = 0; i < home.slotBytes(); i++) {
        if (home.array()[home.offset(number) + i] != (byte) (contents + i)) {
          return false;
        }
      }
      return true;
    }
  }

  @Nullable Slot tryTake(@Nullable ArrayHeap heap, int bytes) {
    return pool.tryAllocate(heap, bytes, Slot.FACTORY);
  }

  Slot take(@Nullable ArrayHeap heap, int bytes) {
    Slot slot = tryTake(heap, bytes);
    if (slot == null) {
      throw new AssertionError("no room for " + bytes);
    }
    return slot;
  }
}
