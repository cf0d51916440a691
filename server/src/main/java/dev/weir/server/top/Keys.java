package dev.weir.server.top;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Single keys of the terminal, without Enter. Where there is no terminal, or no {@code stty}, there
 * are none. Closing it, from any thread, makes the terminal what it was.
 */
final class Keys implements AutoCloseable {
  /** What somebody may press ahead; further keys are dropped. */
  private static final int MAX_WAITING = 16;

  private final BlockingQueue<Character> pressed = new ArrayBlockingQueue<>(MAX_WAITING);
  private final @Nullable String before;

  private Keys(InputStream input, @Nullable String before) {
    this.before = before;
    Thread.ofPlatform().name("weir-top-keys").daemon().start(() -> read(input));
  }

  /** Keys of the terminal that the standard input is. */
  static Keys ofTerminal() {
    String before = stty("-g");
    if (before != null) {
      stty("-icanon", "-echo", "min", "1");
    }
    return new Keys(System.in, before);
  }

  /** Keys of something that needs no setting. */
  static Keys of(InputStream input) {
    return new Keys(input, null);
  }

  private void read(InputStream input) {
    try {
      for (int key = input.read(); key >= 0; key = input.read()) {
        pressed.offer((char) key);
      }
    } catch (IOException gone) {
      // No more keys; the screen goes on without.
    }
  }

  /** The next key; null if none is pressed in time. */
  @Nullable Character await(Duration limit) throws InterruptedException {
    return pressed.poll(Math.max(0, limit.toNanos()), TimeUnit.NANOSECONDS);
  }

  @Override
  public void close() {
    if (before != null) {
      stty(before);
    }
  }

  private static @Nullable String stty(String... arguments) {
    List<String> command = new ArrayList<>(List.of("stty"));
    command.addAll(Arrays.asList(arguments));
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectInput(ProcessBuilder.Redirect.INHERIT)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (!process.waitFor(1, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return null;
      }
      String told = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      return process.exitValue() == 0 ? told.strip() : null;
    } catch (IOException e) {
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }
}
