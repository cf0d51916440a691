package dev.weir.streams.objects;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Calls to a store that wait for their outcome: for threads that may block. */
public final class Requests {
  private static final int KEYS_A_PAGE = 1_000;

  private Requests() {}

  /**
   * Waits until the request has ended, whoever interrupts the thread: until then the store may use
   * memory of the caller's.
   */
  public static <T extends @Nullable Object> T await(Request<T> request) throws IOException {
    try {
      return request.done().join();
    } catch (CompletionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof IOException failure) {
        throw failure;
      }
      throw new ObjectStoreException("a request failed: " + cause, cause);
    } catch (CancellationException cancelled) {
      throw new ObjectStoreException("a request was cancelled", cancelled);
    }
  }

  /** A small object, whole. */
  public static byte[] readAll(ObjectStore store, String key) throws IOException {
    ObjectInfo info = await(store.head(key));
    return readAll(store, info);
  }

  /** A small object, whole, as {@code info} says it is. */
  public static byte[] readAll(ObjectStore store, ObjectInfo info) throws IOException {
    byte[] bytes = new byte[Math.toIntExact(info.lengthBytes())];
    if (bytes.length > 0) {
      await(store.read(info.key(), info.etag(), 0, MemorySegment.ofArray(bytes)));
    }
    return bytes;
  }

  /** Every object whose key begins with {@code prefix}, in ascending order. */
  public static List<ObjectInfo> listAll(ObjectStore store, String prefix) throws IOException {
    List<ObjectInfo> all = new ArrayList<>();
    String last = null;
    while (true) {
      ObjectPage page = await(store.list(prefix, last, KEYS_A_PAGE));
      all.addAll(page.objects());
      if (page.isLast() || page.objects().isEmpty()) {
        return all;
      }
      last = page.objects().getLast().key();
    }
  }

  /** Deletes any number of objects; returns those that are still there. */
  public static List<DeleteFailure> deleteAll(ObjectStore store, List<String> keys)
      throws IOException {
    List<DeleteFailure> failures = new ArrayList<>();
    for (int from = 0; from < keys.size(); from += KEYS_A_PAGE) {
      int to = Math.min(keys.size(), from + KEYS_A_PAGE);
      failures.addAll(await(store.delete(keys.subList(from, to))));
    }
    return failures;
  }
}
