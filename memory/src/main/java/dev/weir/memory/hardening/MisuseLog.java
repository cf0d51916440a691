package dev.weir.memory.hardening;

/** Takes the mistakes that are found in the use of one pool's blocks. Thread-safe. */
public interface MisuseLog {
  /**
   * Records a mistake. Throws nothing.
   *
   * @param history of the block that was misused
   */
  void add(Misuse.Kind kind, String message, BlockHistory history);
}
