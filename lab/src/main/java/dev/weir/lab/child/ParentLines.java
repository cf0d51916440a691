package dev.weir.lab.child;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

/**
 * The child's end of the lines. When the parent is gone there is nobody to report to, and the
 * process ends.
 */
public final class ParentLines {
  private static final int PARENT_GONE = 3;

  private final BufferedReader input = new BufferedReader(new InputStreamReader(System.in, UTF_8));

  /** Waits for the parent to say {@code word}. */
  public void await(String word) {
    try {
      String line = input.readLine();
      if (line == null) {
        Runtime.getRuntime().halt(PARENT_GONE);
      } else if (!line.equals(word)) {
        throw new IllegalStateException("expected '" + word + "', got '" + line + "'");
      }
    } catch (IOException gone) {
      Runtime.getRuntime().halt(PARENT_GONE);
    }
  }

  /** Says a line to the parent. */
  public void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
