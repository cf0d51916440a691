package dev.weir.memory.pages;

/** Nobody listens. */
public final class SilentEvents implements PageHeapEvents {
  @Override
  public void roomFreed() {}

  @Override
  public void bandLeft() {}

  @Override
  public void liveGrown() {}

  @Override
  public void dirtyHigh() {}
}
