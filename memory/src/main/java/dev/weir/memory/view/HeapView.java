package dev.weir.memory.view;

/**
 * A heap that has slabs.
 *
 * @param owner the name of the thread it belongs to, or {@link #SHARED}
 * @param slabs what its slabs hold
 */
public record HeapView(String owner, SlabSum slabs) {
  /** The heap of all threads that have none of their own: its stripes together. */
  public static final String SHARED = "shared";
}
