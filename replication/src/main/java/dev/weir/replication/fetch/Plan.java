package dev.weir.replication.fetch;

import dev.weir.replication.manifest.Entry;
import dev.weir.replication.manifest.ManifestLayout;
import dev.weir.replication.manifest.ManifestReader;
import dev.weir.replication.manifest.Run;
import dev.weir.replication.tree.Chunks;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Goes through a manifest once, makes its directories and files, checks what is there already, and
 * gives out pieces that have to come. For one thread.
 */
final class Plan implements Closeable {
  private final ManifestReader manifest;
  private final TargetTree tree;
  private final Unchanged unchanged;
  private final Chunks chunks;
  private final Progress progress;
  private final long pieceBytes;
  private long spaceOffset;
  private int files;
  private @Nullable TargetFile file;
  private long presentBytes;
  private @Nullable Run run;
  private int indexInRun;
  private @Nullable Chunk ahead;
  private boolean ended;

  /**
   * Begins at the manifest's first entry.
   *
   * @param unchanged files that are linked instead
   * @param chunks reads what is there of files that an earlier attempt has left
   * @param pieceBytes about how much one request asks for
   */
  Plan(
      ManifestReader manifest,
      TargetTree tree,
      Unchanged unchanged,
      Chunks chunks,
      Progress progress,
      long pieceBytes) {
    this.manifest = manifest;
    this.tree = tree;
    this.unchanged = unchanged;
    this.chunks = chunks;
    this.progress = progress;
    this.pieceBytes = pieceBytes;
  }

  /** The next piece; null when all are given out. */
  @Nullable Piece next() throws IOException, InterruptedException {
    List<Chunk> piece = new ArrayList<>();
    int files = 0;
    while (piece.size() < Piece.MOST_CHUNKS && files < Piece.MOST_FILES) {
      Chunk chunk = ahead == null ? nextMissing() : ahead;
      ahead = null;
      if (chunk == null) {
        break;
      }
      if (!piece.isEmpty()) {
        Chunk last = piece.getLast();
        long bytes = chunk.spaceEnd() - piece.getFirst().spaceOffset();
        if (last.spaceEnd() != chunk.spaceOffset() || bytes > pieceBytes) {
          ahead = chunk;
          break;
        }
      }
      files += piece.isEmpty() || !piece.getLast().file().equals(chunk.file()) ? 1 : 0;
      piece.add(chunk);
    }
    return piece.isEmpty() ? null : new Piece(List.copyOf(piece), /* isSecondTry= */ false);
  }

  private @Nullable Chunk nextMissing() throws IOException, InterruptedException {
    while (!ended) {
      Chunk chunk = nextOfFile();
      if (chunk != null) {
        return chunk;
      }
      nextFile();
    }
    return null;
  }

  private @Nullable Chunk nextOfFile() throws IOException {
    TargetFile now = file;
    while (now != null) {
      Run data = run;
      if (data == null || data.isHole() || indexInRun == data.chunks()) {
        run = manifest.nextRun();
        indexInRun = 0;
        if (run == null) {
          return null;
        }
        continue;
      }
      long number = data.firstChunk() + indexInRun;
      long offset = number * ManifestLayout.CHUNK_BYTES;
      int bytes = ManifestLayout.chunkBytes(now.entry().size(), number);
      int crc = data.crc(indexInRun++);
      if (offset + bytes <= presentBytes && chunks.read(now.channel(), offset, bytes) == crc) {
        progress.kept(bytes);
        continue;
      }
      now.claim();
      return new Chunk(now, spaceOffset + offset, offset, bytes, crc);
    }
    return null;
  }

  private void nextFile() throws IOException, InterruptedException {
    leaveFile();
    Entry entry = manifest.next();
    if (entry == null) {
      ended = true;
    } else if (entry.isDirectory()) {
      tree.directory(entry);
    } else if (unchanged.contains(files++)) {
      tree.link(entry, unchanged.file(entry));
      spaceOffset += entry.size();
      progress.kept(dataBytes(entry));
    } else {
      TargetFile next = tree.file(entry);
      file = next;
      presentBytes = next.channel().size();
      run = null;
    }
  }

  private long dataBytes(Entry entry) throws IOException {
    long bytes = 0;
    for (Run next = manifest.nextRun(); next != null; next = manifest.nextRun()) {
      bytes += next.dataBytes(entry.size());
    }
    return bytes;
  }

  private void leaveFile() {
    TargetFile left = file;
    if (left != null) {
      file = null;
      spaceOffset += left.entry().size();
      left.giveBack();
    }
  }

  @Override
  public void close() throws IOException {
    manifest.close();
  }
}
