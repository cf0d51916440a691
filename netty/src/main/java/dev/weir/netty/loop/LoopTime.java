package dev.weir.netty.loop;

import io.netty.util.concurrent.EventExecutor;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/**
 * The clock by which an event loop runs its timers: its {@code ticker()}, which Netty has from
 * 4.2.1 on, otherwise the system's. They differ only on an {@code EmbeddedChannel} whose time was
 * stopped.
 */
public final class LoopTime {
  /** {@code loop.ticker().nanoTime()}; null where Netty has no tickers. */
  private static final @Nullable MethodHandle TICKER = findTicker();

  private LoopTime() {}

  /** Nanoseconds since some time in the past, the same for all calls with {@code loop}. */
  public static long nanoTime(EventExecutor loop) {
    if (TICKER == null) {
      return System.nanoTime();
    }
    try {
      return (long) TICKER.invokeExact(loop);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("no ticker declares an exception", e);
    }
  }

  private static @Nullable MethodHandle findTicker() {
    try {
      MethodHandles.Lookup lookup = MethodHandles.publicLookup();
      Class<?> ticker = Class.forName("io.netty.util.concurrent.Ticker");
      MethodHandle ofLoop =
          lookup.findVirtual(EventExecutor.class, "ticker", MethodType.methodType(ticker));
      MethodHandle nanoTime =
          lookup.findVirtual(ticker, "nanoTime", MethodType.methodType(long.class));
      return MethodHandles.filterReturnValue(ofLoop, nanoTime);
    } catch (ReflectiveOperationException older) {
      return null;
    }
  }
}
