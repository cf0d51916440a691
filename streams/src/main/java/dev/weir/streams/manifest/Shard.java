package dev.weir.streams.manifest;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The streams of one shard, and how far its stored manifest is behind. */
final class Shard {
  /** By number. Any thread reads, the storage thread writes. */
  final Map<Long, StreamManifest> streams = new ConcurrentHashMap<>();

  /** The newest commit that the stored manifest holds; -1 without a manifest. */
  long folded = -1;

  /** The oldest commit that changed the shard and is not in its manifest; 0 for none. */
  long oldestUnfolded;

  void noteChange(long commitSequence) {
    if (oldestUnfolded == 0) {
      oldestUnfolded = commitSequence;
    }
  }

  void noteStored(long commitSequence) {
    folded = commitSequence;
    oldestUnfolded = 0;
  }
}
