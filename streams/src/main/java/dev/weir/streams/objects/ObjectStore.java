package dev.weir.streams.objects;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Objects under keys. An object is written once, becomes visible whole, and is never changed in
 * place. Conditional writes are the only coordination between nodes.
 *
 * <p>Keys are 1 to 512 characters of {@code a-z 0-9 . _ - /}; no part between slashes is empty,
 * {@code .}, {@code ..}, or longer than 200. Another key is an {@link IllegalArgumentException} of
 * the call. A key that goes on behind another and a slash ({@code a} and {@code a/b}) may be
 * refused. Offsets and lengths are in bytes. Memory must be accessible to all threads.
 *
 * <p>Thread-safe. No call blocks; each {@link Request} ends with a value, or one of:
 *
 * <ul>
 *   <li>{@link NoSuchObjectException}: there is no object under the key;
 *   <li>{@link PreconditionFailedException}: the condition of a write or a read does not hold;
 *   <li>{@link ObjectStoreFullException}: the store has no room;
 *   <li>{@link java.util.concurrent.CancellationException}: cancelled before its end was known;
 *   <li>{@link ObjectStoreException}: anything else, after the store's own retries. Whether a write
 *       has happened is then unknown.
 * </ul>
 */
public interface ObjectStore extends AutoCloseable {
  /**
   * Names this store among all stores of a process, and stays the same over restarts: part of the
   * keys of caches.
   */
  String name();

  /** Length and ETag of an object. */
  Request<ObjectInfo> head(String key);

  /**
   * Reads exactly {@code target.byteSize()} bytes from {@code offset} on. An object that ends
   * earlier is an {@link ObjectStoreException}. The target may be written to until the request has
   * ended, also after {@link Request#cancel}.
   *
   * @param ifMatch the ETag that the object must have; null: any
   */
  Request<@Nullable Void> read(
      String key, @Nullable String ifMatch, long offset, MemorySegment target);

  /**
   * Writes an object. Where the answer is lost, the store finds out whether it was its own write
   * that made the condition false. The content is read until the request has ended. A write without
   * a condition may be repeated: it is for objects that one node writes.
   *
   * @return the new object's length and ETag
   */
  Request<ObjectInfo> put(String key, ObjectContent content, PutCondition condition);

  /**
   * Keys that begin with {@code prefix}, in ascending order of their UTF-8 bytes.
   *
   * @param startAfter only keys behind it; null: from the first
   * @param maxKeys 1 to 1,000
   */
  Request<ObjectPage> list(String prefix, @Nullable String startAfter, int maxKeys);

  /**
   * Deletes objects; one that is already gone counts as deleted.
   *
   * @param keys at most 1,000
   * @return the keys that are still there, each with the store's reason; empty: all are gone
   */
  Request<List<DeleteFailure>> delete(List<String> keys);

  /**
   * The file that is the object, for {@code sendfile}; null where objects are not local files. It
   * is missing where there is no object.
   */
  default @Nullable Path localFile(String key) {
    return null;
  }

  /**
   * Takes no new requests, and cancels those under way. Waits until they have ended, 10 s at most.
   */
  @Override
  void close();
}
