package dev.weir.streams.objects.directory;

import dev.weir.streams.objects.DeleteFailure;
import dev.weir.streams.objects.ObjectContent;
import dev.weir.streams.objects.ObjectInfo;
import dev.weir.streams.objects.ObjectKeys;
import dev.weir.streams.objects.ObjectPage;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.objects.ObjectStoreException;
import dev.weir.streams.objects.PutCondition;
import dev.weir.streams.objects.Request;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The objects below a directory, for those who only look: nothing is made, locked or changed there,
 * so it may belong to somebody else, or be mounted for reading alone. Every write fails.
 */
public final class DirectoryReader implements ObjectStore {
  private final DirectoryObjects objects;
  private volatile boolean isClosed;

  private DirectoryReader(Path root) {
    this.objects = new DirectoryObjects(root);
  }

  /**
   * Opens a directory.
   *
   * @throws IOException there is none
   */
  public static DirectoryReader open(Path directory) throws IOException {
    Path root = directory.toRealPath();
    if (!Files.isDirectory(root)) {
      throw new NotDirectoryException(root.toString());
    }
    return new DirectoryReader(root);
  }

  @Override
  public String name() {
    return objects.name();
  }

  @Override
  public Path localFile(String key) {
    return objects.file(key);
  }

  @Override
  public Request<ObjectInfo> head(String key) {
    ObjectKeys.check(key);
    return start(key, request -> objects.head(key));
  }

  @Override
  public Request<@Nullable Void> read(
      String key, @Nullable String ifMatch, long offset, MemorySegment target) {
    ObjectKeys.check(key);
    Objects.checkFromIndexSize(offset, target.byteSize(), Long.MAX_VALUE);
    return start(
        key,
        request -> {
          objects.read(key, ifMatch, offset, target, request);
          return null;
        });
  }

  @Override
  public Request<ObjectInfo> put(String key, ObjectContent content, PutCondition condition) {
    return refused(ObjectKeys.check(key), "was opened for reading");
  }

  @Override
  public Request<ObjectPage> list(String prefix, @Nullable String startAfter, int maxKeys) {
    ObjectKeys.checkPrefix(prefix);
    ObjectKeys.checkMaxKeys(maxKeys);
    String after = ObjectKeys.checkPrefix(startAfter == null ? "" : startAfter);
    return start(
        prefix, request -> DirectoryListing.page(objects.root(), prefix, after, maxKeys, request));
  }

  @Override
  public Request<List<DeleteFailure>> delete(List<String> keys) {
    ObjectKeys.check(keys);
    return refused("of a deletion", "was opened for reading");
  }

  private <T extends @Nullable Object> Request<T> refused(String key, String reason) {
    FileRequest<T> request =
        new FileRequest<>(running -> {
          throw objects.failure(key, reason, null);
        });
    request.refuse(objects.failure(key, reason, null));
    return request;
  }

  private <T extends @Nullable Object> Request<T> start(String key, FileRequest.Work<T> work) {
    if (isClosed) {
      return refused(key, "is closed");
    }
    FileRequest<T> request =
        new FileRequest<>(running -> {
          try {
            return work.run(running);
          } catch (ObjectStoreException e) {
            throw e;
          } catch (IOException e) {
            throw objects.failure(key, "failed: " + e, e);
          }
        });
    Thread.ofVirtual().name("weir-objects-reader").start(request);
    return request;
  }

  @Override
  public void close() {
    isClosed = true;
  }
}
