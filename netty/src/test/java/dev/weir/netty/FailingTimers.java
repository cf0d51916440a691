package dev.weir.netty;

import io.netty.util.concurrent.EventExecutor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.BooleanSupplier;

/** Event loops that begin no timer at times, as if for want of Java heap. */
public final class FailingTimers {
  private FailingTimers() {}

  /** {@code real}, but for what fails {@code now}. */
  public static EventExecutor of(EventExecutor real, BooleanSupplier now) {
    return (EventExecutor)
        Proxy.newProxyInstance(
            FailingTimers.class.getClassLoader(),
            new Class<?>[] {EventExecutor.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("schedule") && now.getAsBoolean()) {
                throw new InternalError("made by the test");
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException failure) {
                throw failure.getCause();
              }
            });
  }
}
