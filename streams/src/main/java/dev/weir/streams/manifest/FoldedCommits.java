package dev.weir.streams.manifest;

import java.util.Arrays;

/** For each shard, the newest commit that its stored manifest holds; -1 without a manifest. */
public final class FoldedCommits {
  private final long[] sequences;

  private FoldedCommits(long[] sequences) {
    this.sequences = sequences;
  }

  /** No shard has a manifest. */
  public static FoldedCommits none() {
    long[] sequences = new long[Shards.COUNT];
    Arrays.fill(sequences, -1);
    return new FoldedCommits(sequences);
  }

  /** One number for each shard; takes a copy. */
  static FoldedCommits of(long[] sequences) {
    return new FoldedCommits(Arrays.copyOf(sequences, Shards.COUNT));
  }

  /** Of one shard. */
  public long of(int shard) {
    return sequences[shard];
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FoldedCommits that && Arrays.equals(sequences, that.sequences);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(sequences);
  }

  @Override
  public String toString() {
    return Arrays.toString(sequences);
  }
}
