package dev.weir.netty;

import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** A channel whose event loop takes no task while it is told so. */
public final class RefusingChannel extends EmbeddedChannel {
  private @Nullable EventLoop seen;
  private volatile boolean refuses;
  private volatile boolean left;

  public RefusingChannel(ChannelHandler... handlers) {
    super(handlers);
  }

  /** From now on its loop refuses tasks, or takes them again. */
  public void refuse(boolean now) {
    refuses = now;
  }

  /** From now on its loop takes callers for another thread, or for its own again. */
  public void leaveLoop(boolean now) {
    left = now;
  }

  @Override
  public EventLoop eventLoop() {
    EventLoop loop = seen;
    if (loop == null) {
      EventLoop real = super.eventLoop();
      loop =
          (EventLoop)
              Proxy.newProxyInstance(
                  RefusingChannel.class.getClassLoader(),
                  new Class<?>[] {EventLoop.class},
                  (proxy, method, arguments) -> call(real, proxy, method, arguments));
      seen = loop;
    }
    return loop;
  }

  @SuppressWarnings("ReferenceEquality")
  private @Nullable Object call(
      EventLoop real, Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
    if (method.getName().equals("equals") && arguments != null) {
      return proxy == arguments[0];
    }
    if (method.getName().equals("execute") && refuses) {
      throw new InternalError("made by the test");
    }
    if (method.getName().equals("inEventLoop") && left) {
      return false;
    }
    try {
      return method.invoke(real, arguments);
    } catch (InvocationTargetException failure) {
      throw failure.getCause();
    }
  }
}
