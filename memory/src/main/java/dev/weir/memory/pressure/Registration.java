package dev.weir.memory.pressure;

/** Ends what was registered. */
public interface Registration extends AutoCloseable {
  /**
   * No call begins after this returns; one that has begun may still be under way. Further calls do
   * nothing.
   */
  @Override
  void close();
}
