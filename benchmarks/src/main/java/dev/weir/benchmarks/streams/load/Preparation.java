package dev.weir.benchmarks.streams.load;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** What is done before a measurement: streams are created, and filled. */
public final class Preparation {
  private static final int CONNECTIONS = 64;
  private static final int FILLING_BYTES = 1 << 20;

  private Preparation() {}

  /**
   * Creates all streams of a target.
   *
   * @throws IOException if one is not created
   */
  public static void create(Target target) throws IOException {
    int connections = Math.min(CONNECTIONS, target.streams());
    require(send(target, target.streams(), connections, target::creation), "created");
  }

  /**
   * Creates the first stream of a target, with text in it.
   *
   * @throws IOException if it is not created
   */
  public static void createText(Target target) throws IOException {
    require(send(target, 1, 1, number -> target.creation(number, "text/plain")), "created");
  }

  /**
   * Appends pieces of 1 MiB to the first stream of a target.
   *
   * @throws IOException if one is refused
   */
  public static void fill(Target target, int pieces) throws IOException {
    byte[] append = target.append(1, FILLING_BYTES);
    require(send(target, pieces, 4, number -> append), "filled");
  }

  /** How many bytes so many pieces are. */
  public static long bytes(int pieces) {
    return (long) pieces * FILLING_BYTES;
  }

  private static Load send(
      Target target, long requests, int connections, LongFunction<byte[]> request)
      throws IOException {
    Exchanges.Requests all =
        new Exchanges.Requests() {
          private long number;

          @Override
          public @Nullable ByteBuf next() {
            return number == requests ? null : Unpooled.wrappedBuffer(request.apply(++number));
          }
        };
    return Exchanges.run(target.server(), connections, all);
  }

  private static void require(Load load, String what) throws IOException {
    if (load.failures() > 0) {
      throw new IOException(
          "%d of %d streams could not be %s"
              .formatted(load.failures(), load.failures() + load.answers(), what));
    }
  }
}
