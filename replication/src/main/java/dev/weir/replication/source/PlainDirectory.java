package dev.weir.replication.source;

import java.nio.file.Path;
import java.util.Map;

/** A directory that others may change: all is found out by looking. */
record PlainDirectory(Path root) implements Origin, Origin.Tree {
  private static final int MOST_SNAPSHOTS = 8;
  private static final int[] NONE = {};

  @Override
  public Tree open() {
    return this;
  }

  @Override
  public int mostSnapshots() {
    return MOST_SNAPSHOTS;
  }

  @Override
  public boolean isSealed() {
    return false;
  }

  @Override
  public boolean isCurrent() {
    return false;
  }

  @Override
  public int[] checksums(String path) {
    return NONE;
  }

  @Override
  public Map<String, String> headers() {
    return Map.of();
  }

  @Override
  public void close() {
    // It is not ours.
  }
}
