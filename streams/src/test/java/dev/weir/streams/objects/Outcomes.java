package dev.weir.streams.objects;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for requests, and makes bytes for them. */
public final class Outcomes {
  private Outcomes() {}

  /** The value of a request; its error is thrown as it is. */
  public static <T> T await(Request<T> request) throws Exception {
    try {
      return request.done().get(120, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw e;
    }
  }

  /** Waits until a request has ended, whatever with. */
  public static void awaitEnd(Request<?> request) throws Exception {
    try {
      request.done().get(120, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw e;
    } catch (Exception e) {
      // Ended too.
    }
  }

  /** Random bytes, the same for the same seed. */
  public static byte[] bytes(long seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  /** The same in native memory, for all threads, until it is collected. */
  public static MemorySegment nativeBytes(long seed, int length) {
    MemorySegment segment = Arena.ofAuto().allocate(Math.max(1, length)).asSlice(0, length);
    return segment.copyFrom(MemorySegment.ofArray(bytes(seed, length)));
  }

  /** Zeros in native memory. */
  public static MemorySegment target(long length) {
    return Arena.ofAuto().allocate(Math.max(1, length)).asSlice(0, length);
  }

  /** The bytes of an object. */
  public static byte[] read(ObjectStore store, String key, long offset, int length)
      throws Exception {
    MemorySegment target = target(length);
    await(store.read(key, null, offset, target));
    return target.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
  }

  /** Writes an object. */
  public static ObjectInfo put(ObjectStore store, String key, byte[] bytes, PutCondition condition)
      throws Exception {
    return await(store.put(key, ObjectContent.of(MemorySegment.ofArray(bytes)), condition));
  }
}
