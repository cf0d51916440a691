package dev.weir.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.codec.http.HttpRequest;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An exchange whose event loop can be handed nothing. */
final class UnreachableLoop {
  /** Buffers that the exchange gave. */
  final List<ByteBuf> allocated = new ArrayList<>();

  /** What its loop was asked to do in vain. */
  final List<Runnable> refused = new ArrayList<>();

  /** Why the exchange was given up. */
  final List<Throwable> aborted = new ArrayList<>();

  private @Nullable Throwable refusal;
  private final ByteBufAllocator uploads;
  private final @Nullable HttpRequest request;

  /** Every attempt fails with {@code refusal}, unchecked; null for a loop that runs nothing. */
  UnreachableLoop(@Nullable Throwable refusal) {
    this(refusal, UnpooledByteBufAllocator.DEFAULT);
  }

  /** With memory for what comes of a body of unknown length. */
  UnreachableLoop(@Nullable Throwable refusal, ByteBufAllocator uploads) {
    this(refusal, uploads, /* request= */ null);
  }

  /** With the request that the exchange answers. */
  UnreachableLoop(
      @Nullable Throwable refusal, ByteBufAllocator uploads, @Nullable HttpRequest request) {
    this.refusal = refusal;
    this.uploads = uploads;
    this.request = request;
  }

  /** From now on every attempt fails with it. */
  void refuse(Throwable withThis) {
    refusal = withThis;
  }

  Exchange exchange() {
    return (Exchange)
        Proxy.newProxyInstance(
            Exchange.class.getClassLoader(),
            new Class<?>[] {Exchange.class},
            (proxy, method, args) ->
                switch (method.getName()) {
                  case "onLoop" -> {
                    refused.add((Runnable) args[0]);
                    if (refusal != null) {
                      throw refusal;
                    }
                    yield null;
                  }
                  case "allocate" -> {
                    allocate((int) args[0], args[1]);
                    yield null;
                  }
                  case "abort" -> {
                    aborted.add((Throwable) args[args.length - 1]);
                    yield null;
                  }
                  case "isWritable" -> true;
                  case "uploads" -> uploads;
                  case "request" -> request;
                  case "contentLength" -> -1L;
                  case "readBody", "watchForClose", "closeAfterwards", "begin", "flush" -> null;
                  case "write", "push" -> {
                    ((ByteBuf) args[0]).release();
                    yield null;
                  }
                  case "allocator" -> UnpooledByteBufAllocator.DEFAULT;
                  case "schedule" -> new CompletableFuture<>();
                  default -> InvocationHandler.invokeDefault(proxy, method, args);
                });
  }

  @SuppressWarnings("unchecked")
  private void allocate(int bytes, Object use) {
    ByteBuf buffer = UnpooledByteBufAllocator.DEFAULT.directBuffer(bytes, bytes);
    allocated.add(buffer);
    ((Consumer<ByteBuf>) use).accept(buffer);
  }
}
