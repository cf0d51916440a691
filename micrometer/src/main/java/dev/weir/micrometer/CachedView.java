package dev.weir.micrometer;

import dev.weir.memory.Pool;
import dev.weir.memory.view.MapWindow;
import dev.weir.memory.view.PoolView;
import org.jspecify.annotations.Nullable;

/** The last look at a pool, taken anew when it is a second old. Thread-safe. */
final class CachedView {
  private static final long MAX_AGE_NANOS = 1_000_000_000;

  private @Nullable PoolView last;
  private long takenNanos;

  /** A view less than a second old. */
  PoolView of(Pool pool) {
    return at(pool, System.nanoTime());
  }

  synchronized PoolView at(Pool pool, long nowNanos) {
    PoolView view = last;
    if (view == null || nowNanos - takenNanos > MAX_AGE_NANOS) {
      view = pool.view(MapWindow.NOTHING);
      last = view;
      takenNanos = nowNanos;
    }
    return view;
  }
}
