package dev.weir.memory;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.guard.Hardener;
import dev.weir.memory.jfr.RecordedPool;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.view.MapWindow;
import dev.weir.memory.view.PoolView;
import org.jspecify.annotations.Nullable;

/** A pool as Flight Recorder sees it. */
final class PoolRecord implements RecordedPool {
  private final Budget root;
  private final PageHeap pages;
  private final @Nullable Hardener hardener;
  private volatile boolean gone;

  PoolRecord(Budget root, PageHeap pages, @Nullable Hardener hardener) {
    this.root = root;
    this.pages = pages;
    this.hardener = hardener;
  }

  /** The addresses have been given back. */
  void end() {
    gone = true;
  }

  @Override
  public boolean isGone() {
    return gone;
  }

  @Override
  public Budget root() {
    return root;
  }

  @Override
  public Figures figures() {
    PoolView view = PoolView.of(root, pages, hardener, MapWindow.NOTHING);
    return new Figures(
        view.name(),
        view.limitBytes(),
        view.liveBytes(),
        view.dirtyBytes(),
        view.peakResidentBytes(),
        view.waste().promisedBytes(),
        view.blocks(),
        view.blockBytes(),
        view.waste().freeSlotBytes(),
        view.waste().uncommittedBytes(),
        view.waste().quarantinedBytes() + view.waste().hardeningBytes(),
        view.purgedBytes());
  }
}
