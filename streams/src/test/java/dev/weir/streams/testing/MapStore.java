package dev.weir.streams.testing;

import dev.weir.streams.objects.DeleteFailure;
import dev.weir.streams.objects.NoSuchObjectException;
import dev.weir.streams.objects.ObjectContent;
import dev.weir.streams.objects.ObjectInfo;
import dev.weir.streams.objects.ObjectPage;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.objects.ObjectStoreException;
import dev.weir.streams.objects.PreconditionFailedException;
import dev.weir.streams.objects.PutCondition;
import dev.weir.streams.objects.Request;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * A store in memory, which breaks off where a test says: before a call has done anything, or after
 * it has, without an answer. Everything is done on the caller's thread.
 */
public final class MapStore implements ObjectStore {
  /** What becomes of a call that fails. */
  public enum Failure {
    BEFORE,
    AFTER
  }

  private final ConcurrentSkipListMap<String, byte[]> objects = new ConcurrentSkipListMap<>();
  private final ConcurrentSkipListMap<String, Long> versions = new ConcurrentSkipListMap<>();
  private final List<String> writes = new ArrayList<>();
  private long version;
  private long callsUntilFailure = Long.MAX_VALUE;
  private Failure failure = Failure.BEFORE;
  private boolean staysDown;
  private boolean isDown;
  private boolean refusesDeletes;
  private @Nullable String watchedKey;
  private Runnable beforePut = () -> {};

  /** Has the call after {@code calls} others fail; with every one behind it, if it stays down. */
  public void failAfter(long calls, Failure how, boolean andStayDown) {
    callsUntilFailure = calls;
    failure = how;
    staysDown = andStayDown;
  }

  /** Ends every failure. */
  public void repair() {
    callsUntilFailure = Long.MAX_VALUE;
    isDown = false;
    refusesDeletes = false;
  }

  /** Lets every object stay, whoever wants it deleted. */
  public void refuseDeletes() {
    refusesDeletes = true;
  }

  /** Does something once, just before an object is put there. */
  public void beforePutOf(String key, Runnable action) {
    watchedKey = key;
    beforePut = action;
  }

  /** Requests that write, since the last call: puts by key, and deletions. */
  public List<String> takeWrites() {
    List<String> taken = List.copyOf(writes);
    writes.clear();
    return taken;
  }

  /** All keys that begin so. */
  public List<String> keys(String prefix) {
    return objects.keySet().stream().filter(key -> key.startsWith(prefix)).toList();
  }

  /** An object's bytes, a copy. */
  public byte[] bytes(String key) {
    return objects.get(key).clone();
  }

  /** Puts an object there, past all conditions. */
  public void set(String key, byte[] bytes) {
    objects.put(key, bytes.clone());
    versions.put(key, ++version);
  }

  /** Takes an object away. */
  public void remove(String key) {
    objects.remove(key);
    versions.remove(key);
  }

  /** Takes large objects away, which nobody is going to read. */
  public void removeLargerThan(int bytes) {
    keys("").stream().filter(key -> objects.get(key).length > bytes).forEach(this::remove);
  }

  private interface Call<T> {
    T run() throws IOException;
  }

  private <T> Request<T> call(Call<T> call) {
    CompletableFuture<T> done = new CompletableFuture<>();
    boolean failsNow = callsUntilFailure-- == 0;
    if (isDown || (failsNow && failure == Failure.BEFORE)) {
      isDown |= staysDown && failsNow;
      done.completeExceptionally(new ObjectStoreException("the store is away", null));
    } else {
      try {
        T value = call.run();
        if (failsNow) {
          isDown |= staysDown;
          done.completeExceptionally(new ObjectStoreException("no answer", null));
        } else {
          done.complete(value);
        }
      } catch (IOException e) {
        done.completeExceptionally(e);
      }
    }
    return new Request<>() {
      @Override
      public CompletableFuture<T> done() {
        return done;
      }

      @Override
      public void cancel() {}
    };
  }

  @Override
  public String name() {
    return "map";
  }

  @Override
  public Request<ObjectInfo> head(String key) {
    return call(() -> info(key));
  }

  private ObjectInfo info(String key) throws NoSuchObjectException {
    byte[] bytes = objects.get(key);
    if (bytes == null) {
      throw new NoSuchObjectException("map has no " + key);
    }
    return new ObjectInfo(key, bytes.length, "v" + versions.get(key));
  }

  @Override
  public Request<Void> read(
      String key, @Nullable String ifMatch, long offset, MemorySegment target) {
    return call(() -> {
      ObjectInfo info = info(key);
      if (ifMatch != null && !ifMatch.equals(info.etag())) {
        throw new PreconditionFailedException(key + " is another one");
      }
      if (offset + target.byteSize() > info.lengthBytes()) {
        throw new ObjectStoreException(key + " is too short", null);
      }
      MemorySegment.copy(
          MemorySegment.ofArray(objects.get(key)), offset, target, 0, target.byteSize());
      return null;
    });
  }

  @Override
  public Request<ObjectInfo> put(String key, ObjectContent content, PutCondition condition) {
    return call(() -> {
      writes.add(key);
      if (key.equals(watchedKey)) {
        watchedKey = null;
        beforePut.run();
      }
      boolean holds =
          switch (condition) {
            case PutCondition.Always always -> true;
            case PutCondition.IfAbsent absent -> !objects.containsKey(key);
            case PutCondition.IfMatch match ->
                objects.containsKey(key) && info(key).etag().equals(match.etag());
          };
      if (!holds) {
        throw new PreconditionFailedException(key + ": " + condition);
      }
      set(key, read(content));
      return info(key);
    });
  }

  private static byte[] read(ObjectContent content) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate((int) content.lengthBytes());
    for (ObjectContent.Part part : content.parts()) {
      switch (part) {
        case ObjectContent.InMemory memory -> bytes.put(memory.bytes().asByteBuffer());
        case ObjectContent.InFile file -> {
          byte[] read = new byte[(int) file.lengthBytes()];
          try (RandomAccessFile source = new RandomAccessFile(file.file().toFile(), "r")) {
            source.seek(file.offset());
            source.readFully(read);
          }
          bytes.put(read);
        }
      }
    }
    return bytes.array();
  }

  @Override
  public Request<ObjectPage> list(String prefix, @Nullable String startAfter, int maxKeys) {
    return call(() -> {
      List<ObjectInfo> found = new ArrayList<>();
      for (String key : keys(prefix)) {
        if (startAfter == null || key.compareTo(startAfter) > 0) {
          found.add(info(key));
        }
      }
      // Short pages, so that callers have to turn them.
      int count = Math.min(found.size(), Math.min(maxKeys, 7));
      return new ObjectPage(found.subList(0, count), count == found.size());
    });
  }

  @Override
  public Request<List<DeleteFailure>> delete(List<String> keys) {
    return call(() -> {
      writes.add("delete");
      if (refusesDeletes) {
        return keys.stream().map(key -> new DeleteFailure(key, "refused")).toList();
      }
      keys.forEach(this::remove);
      return List.of();
    });
  }

  @Override
  public void close() {}
}
