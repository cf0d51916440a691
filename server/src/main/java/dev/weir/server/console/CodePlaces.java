package dev.weir.server.console;

import dev.weir.memory.profile.LiveSite;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Places in the code, whatever the budgets: each connection has one of its own. */
final class CodePlaces {
  /**
   * A place.
   *
   * @param budget the one that the oldest block is charged to
   * @param budgets how many there are
   */
  record Place(
      List<StackTraceElement> stack,
      String budget,
      int budgets,
      long bytes,
      long blocks,
      long oldestNanos) {
    private Place with(LiveSite site) {
      return new Place(
          stack,
          site.oldestNanos() > oldestNanos ? site.budget() : budget,
          budgets + 1,
          bytes + site.bytes(),
          blocks + site.blocks(),
          Math.max(oldestNanos, site.oldestNanos()));
    }
  }

  private CodePlaces() {}

  /** The places that have held a block for longest, the oldest first. */
  static List<Place> oldest(List<LiveSite> sites, int most) {
    Map<List<StackTraceElement>, Place> places = new LinkedHashMap<>();
    for (LiveSite site : sites) {
      Place known =
          places.getOrDefault(site.stack(), new Place(site.stack(), site.budget(), 0, 0, 0, 0));
      places.put(site.stack(), known.with(site));
    }
    return places.values().stream()
        .sorted(Comparator.comparingLong(Place::oldestNanos).reversed())
        .limit(most)
        .toList();
  }
}
