package dev.weir.peer;

import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * The main class: {@code serve ALLOCATOR LIMIT LOOPS}, {@code play ALLOCATOR LIMIT}, or {@code
 * replay ALLOCATOR LIMIT WRITES}, which plays on a thread as event loops are, and writes {@code
 * bytes} or {@code pages}. The first line that it says is {@linkplain Environment what it runs on}.
 */
public final class Peer {
  /** What the caller sees when the arguments are wrong. */
  private static final int BAD_USAGE = 2;

  private Peer() {}

  /** Runs until the parent says {@code end} or is gone. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    if (arguments.length < 3) {
      System.err.println(
          "usage: Peer serve ALLOCATOR LIMIT LOOPS | play ALLOCATOR LIMIT | replay ALLOCATOR LIMIT"
              + " WRITES");
      System.exit(BAD_USAGE);
    }
    ByteBufAllocator allocator = PeerAllocators.create(arguments[1], Long.parseLong(arguments[2]));
    JsonLine.say(Environment.describe());
    if (arguments[0].equals("serve")) {
      new UploadServer(allocator, Integer.parseInt(arguments[3])).run();
    } else if (arguments[0].equals("play")) {
      new ActPlayer(allocator, /* writesBytes= */ true).run();
    } else {
      replay(new ActPlayer(allocator, arguments[3].equals("bytes")));
    }
    System.exit(0);
  }

  private static void replay(ActPlayer player) throws InterruptedException {
    Thread loop =
        new FastThreadLocalThread(
            () -> {
              try {
                player.run();
              } catch (IOException broken) {
                throw new UncheckedIOException(broken);
              }
            },
            "replay");
    loop.start();
    loop.join();
  }
}
