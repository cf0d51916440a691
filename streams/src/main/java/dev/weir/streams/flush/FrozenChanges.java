package dev.weir.streams.flush;

import java.util.List;

/**
 * Everything up to one position of the WAL that was not flushed before.
 *
 * @param walPosition the position; where this is committed, the WAL may be cut there
 * @param nextStreamId above the number of every stream so far
 * @param changes one for each stream, sorted by number
 */
public record FrozenChanges(long walPosition, long nextStreamId, List<StreamChange> changes) {
  /** Takes a copy of the list. */
  public FrozenChanges {
    changes = List.copyOf(changes);
  }

  /** How many bytes of streams there are. */
  public long dataBytes() {
    return changes.stream().mapToLong(change -> change.tailOffset() - change.startOffset()).sum();
  }
}
