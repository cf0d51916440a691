package dev.weir.netty;

import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** A channel whose event loop takes no task while it is told so, as if for want of Java heap. */
public final class RefusingChannel extends EmbeddedChannel {
  private @Nullable EventLoop seen;
  private volatile boolean refuses;
  private volatile int refusals;
  private @Nullable Throwable nextRefusal;
  private volatile boolean left;

  public RefusingChannel(ChannelHandler... handlers) {
    super(handlers);
  }

  /** From now on its loop refuses tasks, or takes them again. */
  public void refuse(boolean now) {
    refuses = now;
  }

  /** Its loop refuses the next task alone, as one does whose queue is full, or cannot grow. */
  public void refuseNext(Throwable refusal) {
    nextRefusal = refusal;
  }

  /** From now on its loop takes callers for another thread, or for its own again. */
  public void leaveLoop(boolean now) {
    left = now;
  }

  /** How many tasks its loop has refused. */
  public int refusals() {
    return refusals;
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

  @SuppressWarnings({"ReferenceEquality", "NonAtomicVolatileUpdate"})
  private @Nullable Object call(
      EventLoop real, Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
    if (method.getName().equals("equals") && arguments != null) {
      return proxy == arguments[0];
    }
    Throwable once = nextRefusal;
    if (method.getName().equals("execute") && once != null) {
      nextRefusal = null;
      throw once;
    }
    if (method.getName().equals("execute") && refuses) {
      refusals++;
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
