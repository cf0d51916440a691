package dev.weir.server.top;

import java.io.Console;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How large the screen is, and what clears it.
 *
 * @param columns its width
 * @param rows its height
 */
record Terminal(int columns, int rows) {
  /** A second screen, without a cursor: what was on the first is there again afterwards. */
  static final String ENTER = "\033[?1049h\033[?25l";

  static final String LEAVE = "\033[?25h\033[?1049l";

  /** To the upper left corner. */
  static final String HOME = "\033[H";

  /** Clears the rest of a line. */
  static final String END_OF_LINE = "\033[K";

  /** Clears what is below. */
  static final String END_OF_SCREEN = "\033[J";

  private static final Terminal USUAL = new Terminal(80, 24);
  private static final int MAX = 1000;

  /** Whether somebody looks at the standard output. */
  @SuppressWarnings("SystemConsoleNull") // it may be: the provider is a setting of the JVM
  static boolean isThere() {
    Console console = System.console();
    return console != null && console.isTerminal();
  }

  /** The size that the system knows, else that of the environment, else the usual. */
  static Terminal current() {
    String told = stty();
    Terminal size = told == null ? null : parse(List.of(told.split(" ")));
    if (size == null) {
      size = parse(List.of(environment("LINES"), environment("COLUMNS")));
    }
    return size == null ? USUAL : size;
  }

  private static String environment(String name) {
    String value = System.getenv(name);
    return value == null ? "" : value;
  }

  static @Nullable Terminal parse(List<String> rowsAndColumns) {
    if (rowsAndColumns.size() != 2) {
      return null;
    }
    try {
      int rows = Integer.parseInt(rowsAndColumns.get(0).strip());
      int columns = Integer.parseInt(rowsAndColumns.get(1).strip());
      return rows < 1 || columns < 1
          ? null
          : new Terminal(Math.min(columns, MAX), Math.min(rows, MAX));
    } catch (NumberFormatException e) {
      return null;
    }
  }

  private static @Nullable String stty() {
    try {
      Process process =
          new ProcessBuilder("stty", "size")
              .redirectInput(ProcessBuilder.Redirect.INHERIT)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (!process.waitFor(1, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return null;
      }
      return new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
    } catch (IOException e) {
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }
}
