package dev.weir.lab.memory;

import java.io.IOException;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * How much of a range of addresses the kernel holds resident, by the way that costs this process
 * least: who watches a service must not be what it waits for. A scan of the range's own page
 * tables, or the walk of all of them by {@code smaps} where the kernel has no scan. Not
 * thread-safe.
 */
public final class RangeRss {
  private final Smaps smaps = new Smaps();

  /** Null once the kernel has been found to have no such scan. */
  private @Nullable PageScan scan = new PageScan();

  /** Nothing is asked yet. */
  public RangeRss() {}

  /**
   * The resident bytes of a range that begins and ends with a page.
   *
   * @throws IOException if the system does not tell
   */
  public long bytes(AddressRange range) throws IOException {
    if (scan != null) {
      OptionalLong presentBytes = scan.presentBytes(range);
      if (presentBytes.isPresent()) {
        return presentBytes.getAsLong();
      }
      scan = null;
    }
    return smaps.rssBytes(range);
  }
}
