package dev.weir.lab.memory;

import java.io.IOException;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * How much of a range of addresses the kernel holds resident, by the way that costs this process
 * least: who watches a service must not be what it waits for. Not thread-safe.
 */
public final class RangeRss {
  private final Smaps smaps = new Smaps();

  /** Null once the kernel has been found to have no such scan. */
  private @Nullable PageScan scan;

  private RangeRss(boolean scans) {
    scan = scans ? new PageScan() : null;
  }

  /** Exact also in the middle of a load, at the cost of a walk of all page tables. */
  public static RangeRss exact() {
    return new RangeRss(/* scans= */ false);
  }

  /**
   * Cheap: beside a service that answers meanwhile. While blocks of many sizes come and go, it may
   * say up to twice as much as there is.
   */
  public static RangeRss cheap() {
    return new RangeRss(/* scans= */ true);
  }

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
