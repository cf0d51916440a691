package dev.weir.memory.view;

import dev.weir.memory.heap.Patience;
import dev.weir.memory.heap.SizeClasses;
import dev.weir.memory.heap.SlabFigures;
import dev.weir.memory.pages.PageSet;
import dev.weir.memory.pages.PageVisitor;
import dev.weir.memory.pages.Span;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Adds up what a walk through the pages comes by. */
/*
 * The first look of a process runs in the interpreter, and 1,000,000 blocks lie in some 8,000 slabs: here and in the walk
 * there are plain loops, since every lambda, stream and format on the way costs that look a millisecond or several.
 */
final class PoolSurvey implements PageVisitor {
  private final PageMapBuilder map;
  private final Tally[] classes = new Tally[SizeClasses.COUNT];
  private final Map<Thread, Tally> owners = new HashMap<>();
  private final Tally shared = new Tally();
  private long growthAddressBytes;

  private final Patience patience = new Patience();

  PoolSurvey(PageMapBuilder map) {
    this.map = map;
    for (int sizeClass = 0; sizeClass < classes.length; sizeClass++) {
      classes[sizeClass] = new Tally();
    }
  }

  /** A sum that grows without an object for each slab. */
  private static final class Tally {
    private long slabs;
    private long blocks;
    private long blockBytes;
    private long freeSlotBytes;
    private long pageBytes;

    void add(SlabFigures slab) {
      slabs++;
      blocks += slab.liveBlocks();
      blockBytes += (long) slab.liveBlocks() * slab.slotBytes();
      freeSlotBytes += (long) slab.freeSlots() * slab.slotBytes();
      pageBytes += slab.committedBytes();
    }

    SlabSum sum() {
      long uncommittedBytes = pageBytes - blockBytes - freeSlotBytes;
      return new SlabSum(slabs, blocks, blockBytes, freeSlotBytes, uncommittedBytes, pageBytes);
    }
  }

  @Override
  public boolean beginRegion(String name, long reservedBytes, long extentBytes) {
    map.beginRegion(name, reservedBytes, extentBytes);
    return true;
  }

  @Override
  public void liveRuns(long from, long to) {
    map.live(from, to, 1);
  }

  @Override
  public void dirty(long from, long to) {
    map.dirty(from, to);
  }

  @Override
  public void slab(long from, Span span, PageSet committed, int pageBytes) {
    SlabFigures slab = SlabFigures.of(span, patience);
    if (slab.committedBytes() == 0) {
      return;
    }
    classes[slab.sizeClass()].add(slab);
    heapOf(slab.owner()).add(slab);
    double occupancy =
        Math.min(1, (double) slab.liveBlocks() * slab.slotBytes() / slab.committedBytes());
    for (int first = committed.next(0); first < PageSet.MAX_PAGES; ) {
      int end = committed.nextAbsent(first);
      map.live(from + (long) first * pageBytes, from + (long) end * pageBytes, occupancy);
      first = committed.next(end);
    }
  }

  private Tally heapOf(@Nullable Thread owner) {
    if (owner == null) {
      return shared;
    }
    Tally tally = owners.get(owner);
    if (tally == null) {
      tally = new Tally();
      owners.put(owner, tally);
    }
    return tally;
  }

  @Override
  public void range(long from, long rangeBytes, long liveBytes, long residentBytes) {
    map.live(from, from + liveBytes, 1);
    map.dirty(from + liveBytes, from + residentBytes);
    if (liveBytes > 0) {
      growthAddressBytes += rangeBytes - liveBytes;
    }
  }

  long growthAddressBytes() {
    return growthAddressBytes;
  }

  SlabSum slabs() {
    SlabSum all = SlabSum.NONE;
    for (Tally tally : classes) {
      all = all.plus(tally.sum());
    }
    return all;
  }

  List<ClassView> classes() {
    List<ClassView> views = new ArrayList<>();
    for (int sizeClass = 0; sizeClass < classes.length; sizeClass++) {
      if (classes[sizeClass].slabs > 0) {
        int smallest = sizeClass == 0 ? 0 : SizeClasses.slotBytes(sizeClass - 1) + 1;
        views.add(
            new ClassView(SizeClasses.slotBytes(sizeClass), smallest, classes[sizeClass].sum()));
      }
    }
    return List.copyOf(views);
  }

  List<HeapView> heaps(int max) {
    List<HeapView> views = new ArrayList<>();
    if (shared.slabs > 0) {
      views.add(new HeapView(HeapView.SHARED, shared.sum()));
    }
    for (Map.Entry<Thread, Tally> owned : owners.entrySet()) {
      views.add(new HeapView(nameOf(owned.getKey()), owned.getValue().sum()));
    }
    views.sort((a, b) -> Long.compare(b.slabs().pageBytes(), a.slabs().pageBytes()));
    return List.copyOf(views.subList(0, Math.min(max, views.size())));
  }

  private static String nameOf(Thread owner) {
    return owner.getName().isEmpty() ? "thread " + owner.threadId() : owner.getName();
  }

  PageMap pages() {
    return map.build();
  }
}
