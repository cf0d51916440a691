package dev.weir.netty.transport;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.util.function.UnaryOperator;

/** One of Netty's I/O handlers, for those who change a part of what it does. */
abstract class ForwardingIoHandler implements IoHandler {
  private final IoHandler handler;

  ForwardingIoHandler(IoHandler handler) {
    this.handler = handler;
  }

  /** Wraps what {@code factory} makes for each event loop. */
  static IoHandlerFactory factory(IoHandlerFactory factory, UnaryOperator<IoHandler> wrapper) {
    return new IoHandlerFactory() {
      @Override
      public IoHandler newHandler(ThreadAwareExecutor executor) {
        return wrapper.apply(factory.newHandler(executor));
      }

      @Override
      public boolean isChangingThreadSupported() {
        return factory.isChangingThreadSupported();
      }
    };
  }

  @Override
  public IoRegistration register(IoHandle handle) throws Exception {
    return handler.register(handle);
  }

  @Override
  public void initialize() {
    handler.initialize();
  }

  @Override
  public int run(IoHandlerContext context) {
    return handler.run(context);
  }

  @Override
  public void prepareToDestroy() {
    handler.prepareToDestroy();
  }

  @Override
  public void destroy() {
    handler.destroy();
  }

  @Override
  public void wakeup() {
    handler.wakeup();
  }

  @Override
  public boolean isCompatible(Class<? extends IoHandle> handleType) {
    return handler.isCompatible(handleType);
  }
}
