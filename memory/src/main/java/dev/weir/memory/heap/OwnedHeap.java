package dev.weir.memory.heap;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.pages.PageHeap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The heap of one thread: an event loop's. Its owner allocates and frees without atomics; blocks
 * may be released by any thread.
 *
 * <p>Other threads cannot trim it. They ask: the request is posted to the owner's {@link Executor},
 * and is honoured at the latest when the owner next needs a slab.
 */
public final class OwnedHeap extends Heap {
  private final Thread owner;
  private final Executor executor;
  private final SharedHeap heir;
  private final AtomicBoolean trimRequested = new AtomicBoolean();
  private volatile boolean closed;

  /**
   * Creates the heap of the calling thread.
   *
   * @param executor runs tasks on the calling thread; may drop them
   * @param heir gets the slabs when the heap is closed
   */
  @SuppressWarnings("exports") // for the pool only: nobody else has a page heap
  public OwnedHeap(PageHeap pages, Budget root, Executor executor, SharedHeap heir) {
    super(pages, root);
    this.owner = Thread.currentThread();
    this.executor = executor;
    this.heir = heir;
  }

  /** The thread that this heap belongs to. */
  public Thread owner() {
    return owner;
  }

  /** Whether it has been closed. */
  public boolean isClosed() {
    return closed;
  }

  /**
   * Takes a slot and begins its life. The owner only.
   *
   * @return null if the limit has no room
   */
  public @Nullable Block tryAllocate(int sizeClass, Budget budget) {
    SlotBlock slot = allocateSlot(sizeClass);
    if (slot != null) {
      slot.begin(budget);
    }
    return slot;
  }

  @Override
  void beforeRefill() {
    if (trimRequested.getPlain()) {
      trim();
    }
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // a thread is its identity
  void free(SlotBlock slot) {
    if (Thread.currentThread() == owner) {
      freeLocally(slot);
    } else {
      freeRemotely(slot);
    }
  }

  /** Parks every slab without a live block. The owner only. */
  public void trim() {
    trimRequested.setPlain(false);
    if (!closed) {
      trimSlabs();
    }
  }

  /** Asks the owner for a trim if there seems to be something to give. Any thread. */
  public void requestTrim() {
    if (!closed && looksTrimmable() && trimRequested.compareAndSet(false, true)) {
      try {
        executor.execute(this::trim);
      } catch (RejectedExecutionException e) {
        // The owner is shutting down; closing the heap hands everything over.
        trimRequested.set(false);
      }
    }
  }

  /**
   * Hands the slabs to the shared heap. The owner only, or anyone once the owner has ended. Blocks
   * stay valid; a second call does nothing.
   */
  public void close() {
    if (!closed) {
      closed = true;
      heir.adoptAll(this);
    }
  }
}
