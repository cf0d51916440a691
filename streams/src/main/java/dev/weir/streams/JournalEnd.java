package dev.weir.streams;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Tells the torn end of the newest journal, which may be cut off, from damage, which may not.
 *
 * <p>A crash leaves at most one batch that no sync has covered, in any state: cut anywhere, or with
 * holes where later bytes were written first. So what is not whole is a torn end, unless
 *
 * <ul>
 *   <li>more follows than a batch can have, or
 *   <li>a {@link SyncMark} follows: a later batch began once these bytes were durable.
 * </ul>
 *
 * Damage to the very last batch looks like a torn end, and is taken for one: to refuse the start
 * for it would be to refuse it after many a loss of power.
 */
final class JournalEnd {
  private JournalEnd() {}

  /**
   * @param path names the journal in the error
   * @param wholeBytes the end of its last whole frame
   * @param sizeBytes the end of the file
   * @throws DataDirectoryException when bytes that were durable are damaged
   */
  static void check(Path path, DiskFile file, long wholeBytes, long sizeBytes, SyncMark mark)
      throws IOException {
    if (sizeBytes - wholeBytes > Committer.MAX_UNSYNCED_BYTES
        || hasMark(file, wholeBytes, (int) (sizeBytes - wholeBytes), mark)) {
      throw damage(path, wholeBytes);
    }
  }

  static DataDirectoryException damage(Path path, long position) {
    return new DataDirectoryException(
        path + " is damaged at byte " + position + "; restore the data directory from a copy");
  }

  private static boolean hasMark(DiskFile file, long from, int count, SyncMark mark)
      throws IOException {
    ByteBuffer bytes = FrameReader.read(file, from, count);
    // A mark right here would only prove what lies before.
    for (int index = 1; bytes != null && index < count; index++) {
      if (mark.isAt(index, bytes, from)) {
        return true;
      }
    }
    return false;
  }
}
