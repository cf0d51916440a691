package dev.weir.peer;

import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;

/**
 * The main class: {@code serve ALLOCATOR LIMIT LOOPS} or {@code play ALLOCATOR LIMIT}. The first
 * line that it says is {@linkplain Environment what it runs on}.
 */
public final class Peer {
  /** What the caller sees when the arguments are wrong. */
  private static final int BAD_USAGE = 2;

  private Peer() {}

  /** Runs until the parent says {@code end} or is gone. */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length < 3) {
      System.err.println("usage: Peer serve ALLOCATOR LIMIT LOOPS | Peer play ALLOCATOR LIMIT");
      System.exit(BAD_USAGE);
    }
    ByteBufAllocator allocator = PeerAllocators.create(arguments[1], Long.parseLong(arguments[2]));
    JsonLine.say(Environment.describe());
    if (arguments[0].equals("serve")) {
      new UploadServer(allocator, Integer.parseInt(arguments[3])).run();
    } else {
      new ActPlayer(allocator).run();
    }
    System.exit(0);
  }
}
