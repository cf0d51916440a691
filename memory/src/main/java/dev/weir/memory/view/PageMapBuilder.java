package dev.weir.memory.view;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Divides regions into cells and fills them. */
final class PageMapBuilder {
  private final MapWindow window;
  private final long pageBytes;
  private final List<PageMap.Region> regions = new ArrayList<>();
  private PageMap.@Nullable Region current;

  PageMapBuilder(MapWindow window, long pageBytes) {
    this.window = window;
    this.pageBytes = pageBytes;
  }

  void beginRegion(String name, long reservedBytes, long extentBytes) {
    long from = window.fromBytes() / pageBytes * pageBytes;
    long to = Math.min(window.toBytes(), extentBytes);
    if (!window.shows(name) || from >= to) {
      current = null;
      return;
    }
    long cellBytes = pageBytes;
    while ((to - from - 1) / cellBytes >= window.maxCells()) {
      cellBytes *= 2;
    }
    int cells = (int) ((to - from - 1) / cellBytes + 1);
    current = new PageMap.Region(name, reservedBytes, extentBytes, from, cellBytes, cells);
    regions.add(current);
  }

  void live(long from, long to, double occupancy) {
    if (current != null) {
      current.addLive(from, to, occupancy);
    }
  }

  void dirty(long from, long to) {
    if (current != null) {
      current.addDirty(from, to);
    }
  }

  PageMap build() {
    return new PageMap(List.copyOf(regions));
  }
}
