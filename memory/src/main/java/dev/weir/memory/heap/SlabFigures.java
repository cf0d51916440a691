package dev.weir.memory.heap;

import dev.weir.memory.pages.Span;
import org.jspecify.annotations.Nullable;

/**
 * What one slab holds, as a thread sees it that does not own it: the figures belong together, and
 * are exact when nobody allocates or frees in it.
 *
 * @param sizeClass the class of its slots
 * @param liveBlocks slots in use
 * @param freeSlots slots that are committed and not in use
 * @param committedBytes its live pages, at least as many as its slots need
 * @param owner the thread whose heap it belongs to; null for the heap that threads share
 */
@SuppressWarnings("exports") // spans are the pool's: nobody else has one
public record SlabFigures(
    int sizeClass, int liveBlocks, int freeSlots, int committedBytes, @Nullable Thread owner) {
  /** The figures of a slab that is open; {@code patience} is for all that are looked at. */
  public static SlabFigures of(Span span, Patience patience) {
    return ((Slab) span).figures(patience);
  }

  /** Bytes of a slot. */
  public int slotBytes() {
    return SizeClasses.slotBytes(sizeClass);
  }
}
