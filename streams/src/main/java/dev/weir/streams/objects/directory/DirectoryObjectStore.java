package dev.weir.streams.objects.directory;

import dev.weir.streams.objects.DeleteFailure;
import dev.weir.streams.objects.ObjectContent;
import dev.weir.streams.objects.ObjectInfo;
import dev.weir.streams.objects.ObjectKeys;
import dev.weir.streams.objects.ObjectPage;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.objects.ObjectStoreException;
import dev.weir.streams.objects.ObjectStoreFullException;
import dev.weir.streams.objects.PreconditionFailedException;
import dev.weir.streams.objects.PutCondition;
import dev.weir.streams.objects.Request;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Objects as files below a directory: written whole, synced, and then named. Conditions hold
 * between all threads and processes of a host. What a crash left half-written is deleted at the
 * next start.
 *
 * <p>A directory whose names could not be synced is not trusted again: from then on every write
 * fails, until the store is opened anew.
 */
public final class DirectoryObjectStore implements ObjectStore {
  /** Enough to keep a disk busy; each may hold one thread of the operating system. */
  private static final int THREADS = 8;

  /** More requests than this at once are refused: their callers have no limit of their own. */
  private static final int MAX_QUEUED = 16_384;

  private static final long CLOSE_SECONDS = 10;

  private final DirectoryObjects objects;
  private final ObjectFiles files;
  private final HostLock lock;
  private final TemporaryFiles temporary;
  private final Stamps stamps = new Stamps();
  private final ThreadPoolExecutor executor;
  private final Set<FileRequest<?>> underWay = ConcurrentHashMap.newKeySet();

  /** Why no write is taken any more. Written by any thread, once or more. */
  private volatile @Nullable IOException broken;

  private DirectoryObjectStore(
      Path root, ObjectFiles files, HostLock lock, TemporaryFiles temporary) {
    this.objects = new DirectoryObjects(root);
    this.files = files;
    this.lock = lock;
    this.temporary = temporary;
    this.executor =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(MAX_QUEUED),
            Thread.ofPlatform().daemon().name("weir-objects-", 0).factory());
    executor.allowCoreThreadTimeOut(true);
  }

  /**
   * Opens a directory, and makes it where it is missing. Blocks.
   *
   * @throws IOException it cannot be made or written to
   */
  public static DirectoryObjectStore open(Path directory) throws IOException {
    return open(directory, new ObjectFiles());
  }

  static DirectoryObjectStore open(Path directory, ObjectFiles files) throws IOException {
    files.makeDirectories(directory.toAbsolutePath());
    Path root = directory.toRealPath();
    HostLock lock = HostLock.open(root.resolve("~lock"));
    try (HostLock.Held _ = lock.acquire()) {
      return new DirectoryObjectStore(root, files, lock, TemporaryFiles.open(root.resolve("~tmp")));
    } catch (Throwable e) {
      lock.close();
      throw e;
    }
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
    Path file = localFile(key);
    return start(
        key,
        request -> {
          IOException reason = broken;
          if (reason != null) {
            throw objects.failure(
                key, "takes no writes since its directory could not be synced", reason);
          }
          Path written = temporary.next();
          try {
            long stamp = write(written, content, request);
            request.checkCancelled();
            Path folder = Objects.requireNonNull(file.getParent());
            files.makeDirectories(folder);
            ObjectInfo info = publish(key, file, written, stamp, condition);
            syncNames(folder);
            return info;
          } finally {
            Files.deleteIfExists(written);
          }
        });
  }

  private long write(Path file, ObjectContent content, FileRequest<?> request) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      files.write(channel, content, request);
      long stamp = stamps.next();
      ObjectFiles.setStamp(file, stamp);
      files.sync(channel);
      return stamp;
    }
  }

  /** Gives a file its object's name, if the condition holds. */
  private ObjectInfo publish(
      String key, Path file, Path written, long stamp, PutCondition condition) throws IOException {
    if (condition instanceof PutCondition.IfAbsent) {
      try {
        files.link(file, written);
      } catch (FileAlreadyExistsException e) {
        throw new PreconditionFailedException(name() + ": there is already an object " + key);
      }
      return new ObjectInfo(key, Files.size(written), Stamps.etag(stamp, Files.size(written)));
    }
    try (HostLock.Held _ = lock.acquire()) {
      BasicFileAttributes before = DirectoryObjects.attributes(file);
      if (condition instanceof PutCondition.IfMatch match) {
        if (before == null) {
          throw objects.missing(key);
        }
        if (!Stamps.etag(before).equals(match.etag())) {
          throw objects.changed(key, match.etag(), Stamps.etag(before));
        }
      }
      long later = stamp;
      if (before != null && Stamps.micros(before) >= stamp) {
        later = Stamps.micros(before) + 1;
        ObjectFiles.setStamp(written, later);
      }
      long lengthBytes = Files.size(written);
      files.replace(file, written);
      return new ObjectInfo(key, lengthBytes, Stamps.etag(later, lengthBytes));
    }
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
    List<String> copy = ObjectKeys.check(keys);
    return start(
        "of a deletion",
        request -> {
          List<DeleteFailure> failures = new ArrayList<>();
          Set<Path> folders = new LinkedHashSet<>();
          for (String key : copy) {
            request.checkCancelled();
            Path file = localFile(key);
            try (HostLock.Held _ = lock.acquire()) {
              if (DirectoryObjects.attributes(file) != null) {
                files.delete(file);
                folders.add(Objects.requireNonNull(file.getParent()));
              }
            } catch (IOException e) {
              failures.add(new DeleteFailure(key, String.valueOf(e.getMessage())));
            }
          }
          for (Path folder : folders) {
            syncNames(folder);
          }
          return List.copyOf(failures);
        });
  }

  private void syncNames(Path folder) throws IOException {
    try {
      files.syncDirectory(folder);
    } catch (IOException e) {
      broken = e;
      throw e;
    }
  }

  private <T extends @Nullable Object> Request<T> start(String key, FileRequest.Work<T> work) {
    FileRequest<T> request =
        new FileRequest<>(running -> {
          try {
            return work.run(running);
          } catch (ObjectStoreException e) {
            throw e;
          } catch (IOException e) {
            throw ObjectStoreFullException.isFull(e)
                ? new ObjectStoreFullException(name() + " is full: object " + key, e)
                : objects.failure(key, "failed: " + e, e);
          }
        });
    underWay.add(request);
    request.done().whenComplete((value, error) -> underWay.remove(request));
    try {
      executor.execute(request);
    } catch (RejectedExecutionException e) {
      String reason =
          executor.isShutdown()
              ? "is closed"
              : "has %,d requests that wait, its limit".formatted(MAX_QUEUED);
      request.refuse(objects.failure(key, reason, e));
    }
    return request;
  }

  @Override
  public void close() {
    if (executor.isShutdown()) {
      return;
    }
    executor.shutdown();
    underWay.forEach(FileRequest::cancel);
    boolean isInterrupted = false;
    try {
      executor.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      isInterrupted = true;
    }
    try {
      temporary.close();
      lock.close();
    } catch (IOException e) {
      System.getLogger(DirectoryObjectStore.class.getName())
          .log(System.Logger.Level.WARNING, "{0} left files in ~tmp: {1}", name(), e);
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
