package dev.weir.streams.flush;

import dev.weir.streams.manifest.CommitLog;
import dev.weir.streams.manifest.DeadSegments;
import dev.weir.streams.manifest.ManifestWriter;
import java.io.IOException;

/**
 * What follows a flush: a few manifests, so that the log of commits stays short, and the deletion
 * of what nobody needs. All of it may fail and is made up for later. For the storage thread.
 */
public final class Upkeep {
  /** Beside the segment and the commit of 64 MiB, and one deletion of each kind: eight in all. */
  private static final int MAX_SHARDS = 4;

  private final CommitLog log;
  private final ManifestWriter manifests;
  private final DeadSegments dead;

  /** Of one store. */
  public Upkeep(CommitLog log, ManifestWriter manifests, DeadSegments dead) {
    this.log = log;
    this.manifests = manifests;
    this.dead = dead;
  }

  /** Does what is due; blocks. */
  public void afterFlush(long nowMillis) throws IOException {
    int written = manifests.fold(ManifestWriter.shardsDue(log.unfoldedCommits(), MAX_SHARDS));
    if (written > 0) {
      log.deleteFolded();
    }
    dead.deleteDue(nowMillis);
  }

  /** Stores every manifest that is behind, so that the next start reads no commits; blocks. */
  public void foldAll() throws IOException {
    manifests.fold(Integer.MAX_VALUE);
  }
}
