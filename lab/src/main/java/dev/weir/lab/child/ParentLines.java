package dev.weir.lab.child;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.List;

/**
 * The child's end of the lines. When the parent is gone there is nobody to report to, and the
 * process ends.
 */
public final class ParentLines {
  private static final int PARENT_GONE = 3;

  private final BufferedReader input = new BufferedReader(new InputStreamReader(System.in, UTF_8));

  /** Waits for the parent to say one of {@code words}, and returns that. */
  public String await(String... words) {
    String line = null;
    try {
      line = input.readLine();
    } catch (IOException gone) {
      // As if the line had ended.
    }
    if (line == null) {
      Runtime.getRuntime().halt(PARENT_GONE);
    }
    if (line == null || !List.of(words).contains(line)) {
      throw new IllegalStateException(
          "expected '%s', got '%s'".formatted(String.join("' or '", words), line));
    }
    return line;
  }

  /** Ends this process when the parent is gone, for a child that never waits for a word of it. */
  public void endWithParent() {
    Thread.ofPlatform()
        .daemon()
        .name("parent")
        .start(() -> {
          try {
            while (input.readLine() != null) {
              // It has nothing to say.
            }
          } catch (IOException gone) {
            // As if the lines had ended.
          }
          Runtime.getRuntime().halt(PARENT_GONE);
        });
  }

  /** Says a line to the parent. */
  public void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
