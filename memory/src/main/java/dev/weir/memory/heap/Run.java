package dev.weir.memory.heap;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.pages.Lane;
import dev.weir.memory.pages.PageHeap;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A run of pages that is handed out as one block and keeps its length: what the bound says of runs
 * holds for such alone. Its {@link RunHeap} may use the object again for another run.
 */
@SuppressWarnings("exports") // page heaps are the pool's: nobody else has one
public final class Run implements BlockContainer {
  private final RunHeap heap;
  private long address;
  private long bytes;
  private Lane lane = Lane.LARGE;

  /** What its last user left for the next. */
  private @Nullable Object left;

  Run(RunHeap heap) {
    this.heap = heap;
  }

  /**
   * Stands for these pages from now on.
   *
   * @param newLane that of the promise that they were taken from
   */
  <T> T begin(long newAddress, long newBytes, Lane newLane, BlockFactory<T> factory) {
    address = newAddress;
    bytes = newBytes;
    lane = newLane;
    return factory.create(this, 0, left);
  }

  @Override
  public long blockAddress(int number) {
    return address;
  }

  @Override
  public long blockBytes() {
    return bytes;
  }

  @Override
  public MemorySegment segment(int number) {
    return pages().reservation().slice(address, bytes);
  }

  @Override
  public boolean tryGrow(long minBytes, Budget budget) {
    return minBytes <= bytes;
  }

  @Override
  public void free(int number) {
    pages().runs().free(address, bytes, lane);
    heap.rest(this);
  }

  private PageHeap pages() {
    return heap.pages();
  }

  @Override
  public void leave(int number, Object object) {
    left = object;
  }
}
