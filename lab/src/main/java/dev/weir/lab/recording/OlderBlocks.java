package dev.weir.lab.recording;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds the blocks that were live when a recording began: those that end in it, or grow, and did
 * not begin in it. One that lives through all of it is not told of. Not thread-safe.
 */
final class OlderBlocks {
  private final Set<Long> begun = new HashSet<>();
  private final Set<Long> known = new HashSet<>();
  private final List<Block> older = new ArrayList<>();

  /** A block: where it lies, and its size. */
  record Block(long address, int bytes) {}

  OlderBlocks() {}

  void allocated(long address) {
    begun.add(address);
  }

  void ended(long address, int bytes) {
    if (!begun.remove(address) && bytes > 0 && known.add(address)) {
      older.add(new Block(address, bytes));
    }
  }

  /** In the order in which they end. */
  List<Block> found() {
    return older;
  }
}
