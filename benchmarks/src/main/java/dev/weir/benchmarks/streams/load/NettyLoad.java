package dev.weir.benchmarks.streams.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Appends by this JVM, where there is no {@code wrk}: it takes more of the processors. */
public final class NettyLoad implements AppendLoad {
  private static final int LARGEST_BODY = 1 << 20;

  /** One. */
  public NettyLoad() {}

  @Override
  public String label() {
    return "Netty, " + CONNECTIONS + " connections";
  }

  @Override
  public Load run(Target target, int bytes, Duration length) throws IOException {
    if (bytes > LARGEST_BODY) {
      throw new IllegalArgumentException(bytes + " bytes an append, of at most " + LARGEST_BODY);
    }
    ByteBuf body = Unpooled.directBuffer(bytes).writeBytes("x".repeat(bytes).getBytes(US_ASCII));
    long end = System.nanoTime() + length.toNanos();
    Exchanges.Requests requests =
        new Exchanges.Requests() {
          private long number;

          @Override
          public @Nullable ByteBuf next() {
            if (System.nanoTime() >= end) {
              return null;
            }
            number = number % target.streams() + 1;
            return Unpooled.wrappedBuffer(
                Unpooled.wrappedBuffer(
                    target.head("POST", number, "application/octet-stream", bytes)),
                body.retainedDuplicate());
          }
        };
    try {
      return Exchanges.run(target.server(), CONNECTIONS, requests);
    } finally {
      body.release();
    }
  }
}
