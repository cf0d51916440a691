package dev.weir.replication.push;

import dev.weir.replication.manifest.DataChunks;
import dev.weir.replication.manifest.DataChunks.DataChunk;
import dev.weir.replication.manifest.SparseIndex;
import dev.weir.replication.source.Snapshot;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Cuts what the server lacks into parts of whole chunks, by the manifest; the list comes page by
 * page. For one thread.
 */
final class MissingParts implements Closeable {
  /** As the server takes them at once. */
  private static final int MOST_CHUNKS = 256;

  private final Session session;
  private final DataChunks chunks;
  private final long partBytes;
  private final Deque<Part> page = new ArrayDeque<>();
  private long next;
  private @Nullable DataChunk ahead;

  /**
   * Begins with the first page.
   *
   * @param partBytes about how much one request brings
   */
  MissingParts(Session session, Snapshot snapshot, RemoteImport first, long partBytes)
      throws IOException {
    this.session = session;
    this.partBytes = partBytes;
    this.chunks = new DataChunks(snapshot.manifest(), new SparseIndex().before(0));
    page.addAll(first.missing());
    next = first.next();
  }

  /** The next part, or null at the end. */
  @Nullable Part next() throws IOException, InterruptedException {
    long first = -1;
    long end = -1;
    int count = 0;
    for (DataChunk chunk = take(); chunk != null; chunk = chunks.next()) {
      if (!isMissing(chunk)) {
        if (count > 0) {
          break;
        }
        continue;
      }
      if (count > 0
          && (chunk.spaceOffset() != end
              || count == MOST_CHUNKS
              || chunk.spaceEnd() - first > partBytes)) {
        ahead = chunk;
        break;
      }
      first = count == 0 ? chunk.spaceOffset() : first;
      end = chunk.spaceEnd();
      count++;
    }
    return count == 0 ? null : new Part(first, end - 1, /* isSecondTry= */ false);
  }

  private @Nullable DataChunk take() throws IOException {
    DataChunk chunk = ahead;
    ahead = null;
    return chunk == null ? chunks.next() : chunk;
  }

  private boolean isMissing(DataChunk chunk) throws IOException, InterruptedException {
    while (true) {
      Part range = page.peekFirst();
      if (range == null) {
        if (next < 0) {
          return false;
        }
        RemoteImport more = session.describe(next);
        page.addAll(more.missing());
        next = more.next();
      } else if (range.last() < chunk.spaceOffset()) {
        page.removeFirst();
      } else {
        return range.first() <= chunk.spaceOffset();
      }
    }
  }

  @Override
  public void close() throws IOException {
    chunks.close();
  }
}
