package dev.weir.server.http;

import io.netty.channel.ChannelHandler;
import io.netty.channel.DefaultChannelId;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A connection whose event loop runs, and takes no further task while the test wants so. */
final class DeafChannel extends EmbeddedChannel {
  private static final Set<String> TASKS = Set.of("execute", "schedule");

  private @Nullable EventLoop deaf;
  private @Nullable Throwable refusal;
  private int refused;

  DeafChannel(ChannelHandler handler) {
    super(
        EmbeddedNode.LISTENER,
        DefaultChannelId.newInstance(),
        /* register= */ false,
        /* hasDisconnect= */ false,
        handler);
  }

  /** From now on each task that is handed over fails with it; with null for none. */
  void refuse(@Nullable Throwable withThis) {
    refusal = withThis;
  }

  int refused() {
    return refused;
  }

  @Override
  public EventLoop eventLoop() {
    EventLoop loop = super.eventLoop();
    if (deaf == null) {
      deaf =
          (EventLoop)
              Proxy.newProxyInstance(
                  EventLoop.class.getClassLoader(),
                  new Class<?>[] {EventLoop.class},
                  (proxy, method, args) -> call(loop, method, args));
    }
    return deaf;
  }

  private @Nullable Object call(EventLoop loop, Method method, Object @Nullable [] args)
      throws Throwable {
    if (refusal != null && TASKS.contains(method.getName())) {
      refused++;
      throw refusal;
    }
    try {
      return method.invoke(loop, args);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
