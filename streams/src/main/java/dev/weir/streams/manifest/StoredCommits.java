package dev.weir.streams.manifest;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * Which commits are in the store, and which of them stay. For one thread.
 *
 * <p>The first commit of each epoch stays for ever, and the first of the current session: a request
 * of an earlier process that arrives late has to find its place taken.
 */
public final class StoredCommits {
  private final TreeMap<Long, Claim> bySequence = new TreeMap<>();

  /** Whose first commit it is, if it is one; of the epoch. */
  private record Claim(boolean isClaim, long epoch) {}

  /** Notes one that is there. */
  public void add(Commit commit) {
    bySequence.put(commit.sequence(), new Claim(commit.isClaim(), commit.epoch()));
  }

  void remove(long sequence) {
    bySequence.remove(sequence);
  }

  /** Those before {@code logStart} that may go. */
  List<Long> removable(long logStart) {
    List<Long> removable = new ArrayList<>();
    long epoch = -1;
    long lastClaim = -1;
    for (var stored : bySequence.entrySet()) {
      if (stored.getValue().isClaim()) {
        lastClaim = stored.getKey();
      }
    }
    for (var stored : bySequence.headMap(logStart).entrySet()) {
      Claim claim = stored.getValue();
      boolean begins = claim.isClaim() && claim.epoch() != epoch;
      if (!begins && stored.getKey() != lastClaim) {
        removable.add(stored.getKey());
      }
      epoch = claim.epoch();
    }
    return removable;
  }
}
