package dev.weir.netty.buffer;

import io.netty.util.ResourceLeakTracker;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/**
 * Where a buffer that Netty's leak detector watches was released last. Netty tells from 4.2.4 on.
 */
final class LastReleases {
  /** {@code tracker.getCloseStackTraceIfAny()}; null where Netty does not have it. */
  private static final @Nullable MethodHandle STACK_TRACE = findStackTrace();

  private LastReleases() {}

  /** The stack trace of the last release; null if there was none, or it is not known. */
  static @Nullable Throwable of(ResourceLeakTracker<?> tracker) {
    if (STACK_TRACE == null) {
      return null;
    }
    try {
      return (Throwable) STACK_TRACE.invokeExact(tracker);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("no tracker declares an exception", e);
    }
  }

  private static @Nullable MethodHandle findStackTrace() {
    try {
      return MethodHandles.publicLookup()
          .findVirtual(
              ResourceLeakTracker.class,
              "getCloseStackTraceIfAny",
              MethodType.methodType(Throwable.class));
    } catch (NoSuchMethodException | IllegalAccessException older) {
      return null;
    }
  }
}
