package dev.weir.cache.block;

/**
 * An object in a store. What its name stands for must never change.
 *
 * @param source the store
 * @param name within the store
 * @param bytes how long it is
 */
public record BlockObject(BlockSource source, String name, long bytes) {
  /** Checks the length. */
  public BlockObject {
    if (bytes < 0) {
      throw new IllegalArgumentException("object '%s' of %,d bytes".formatted(name, bytes));
    }
  }
}
