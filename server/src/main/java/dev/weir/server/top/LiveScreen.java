package dev.weir.server.top;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.ExitCode;

/** Shows figures on a terminal, again and again, until a key or Ctrl-C ends it. */
final class LiveScreen {
  private final NodeClient node;
  private final PrintWriter out;
  private final Duration interval;
  private final Pages pages = new Pages();
  private final boolean coloured = System.getenv("NO_COLOR") == null;

  LiveScreen(NodeClient node, PrintWriter out, Duration interval) {
    this.node = node;
    this.out = out;
    this.interval = interval;
  }

  void show() throws IOException {
    // The first answer comes before the screen changes: an error stays where it can be read.
    Figures figures = node.figures();
    Keys keys = Keys.ofTerminal();
    Thread restore =
        Thread.ofPlatform()
            .name("weir-top-end")
            .unstarted(() -> {
              leave(keys);
              // Ctrl-C is how it may end; the JVM would say 130.
              Runtime.getRuntime().halt(ExitCode.OK);
            });
    Runtime.getRuntime().addShutdownHook(restore);
    try {
      synchronized (out) {
        out.print(Terminal.ENTER);
      }
      run(figures, keys);
    } finally {
      if (removed(restore)) {
        leave(keys);
      }
    }
  }

  /** False if the hook is at work already, and ends the process. */
  private static boolean removed(Thread restore) {
    try {
      return Runtime.getRuntime().removeShutdownHook(restore);
    } catch (IllegalStateException ending) {
      return false;
    }
  }

  private void run(Figures first, Keys keys) throws IOException {
    Figures figures = first;
    long lookedNanos = System.nanoTime();
    try {
      while (!pages.isOver()) {
        draw(figures);
        long dueNanos = lookedNanos + interval.toNanos() - System.nanoTime();
        Character key = keys.await(Duration.ofNanos(dueNanos));
        if (key != null) {
          pages.press(key);
        } else {
          figures = pages.isPaused() ? figures : node.figures();
          lookedNanos = System.nanoTime();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void draw(Figures figures) {
    Terminal size = Terminal.current();
    List<String> lines =
        pages.lines(figures, node.name(), size.columns(), size.rows() - 1, coloured);
    synchronized (out) {
      out.print(Terminal.HOME);
      for (String line : lines) {
        out.print(line + Terminal.END_OF_LINE + "\r\n");
      }
      out.print(Terminal.END_OF_SCREEN);
      out.flush();
    }
  }

  private void leave(Keys keys) {
    keys.close();
    synchronized (out) {
      out.print(Terminal.LEAVE);
      out.flush();
    }
  }
}
