package dev.weir.memory.pages;

/** Nobody listens. */
final class SilentEvents implements PageHeapEvents {
  @Override
  public void roomFreed() {}

  @Override
  public void liveGrown() {}

  @Override
  public void dirtyHigh() {}
}
