package dev.weir.stress;

import dev.weir.memory.pages.PageHeapEvents;

/** A page heap whose events nobody hears: nobody waits, looks through slabs, or purges. */
public final class SilentPages implements PageHeapEvents {
  @Override
  public void roomFreed() {}

  @Override
  public void liveGrown() {}

  @Override
  public void dirtyHigh() {}
}
