package dev.weir.server;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** {@code weir serve} in a JVM whose heap is filled when a byte comes on the standard input. */
final class FillingMain {
  private FillingMain() {}

  public static void main(String... arguments) {
    Thread.ofPlatform().daemon().start(FillingMain::fillWhenTold);
    ServeMain.main(arguments);
  }

  private static void fillWhenTold() {
    try {
      if (System.in.read() < 0) {
        return;
      }
    } catch (IOException testHasEnded) {
      return;
    }
    List<byte[]> all = new ArrayList<>();
    while (!Thread.currentThread().isInterrupted()) {
      all.add(new byte[1 << 16]);
    }
  }
}
