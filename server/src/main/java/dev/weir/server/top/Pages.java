package dev.weir.server.top;

import dev.weir.server.top.Line.Ink;
import java.util.ArrayList;
import java.util.List;

/** What the keys choose: the page, how far down it is read, and whether it stands still. */
final class Pages {
  private static final String KEYS = "q quit  c code  m memory  p pause  j k scroll";

  private boolean code;
  private boolean paused;
  private boolean over;
  private int firstRow;

  /** Takes notice of a key; others than those of the last line do nothing. */
  void press(char key) {
    switch (key) {
      case 'q' -> over = true;
      case 'p', ' ' -> paused = !paused;
      case 'c', 'm' -> {
        code = key == 'c';
        firstRow = 0;
      }
      case '\t' -> {
        code = !code;
        firstRow = 0;
      }
      case 'j' -> firstRow++;
      case 'k' -> firstRow = Math.max(0, firstRow - 1);
      default -> {
        // No key of ours.
      }
    }
  }

  /** Whether the figures stay as they are. */
  boolean isPaused() {
    return paused;
  }

  /** Whether nobody wants to look any more. */
  boolean isOver() {
    return over;
  }

  /** The page, and the keys in the last line. */
  List<String> lines(Figures view, String source, int columns, int rows, boolean coloured) {
    int shown = Math.max(1, rows - 1);
    List<String> page;
    if (code) {
      List<String> all = CodeScreen.lines(view, source, columns, coloured);
      firstRow = Math.min(firstRow, Math.max(0, all.size() - shown));
      page = all.subList(firstRow, Math.min(all.size(), firstRow + shown));
    } else {
      page = Screen.lines(view, source, columns, shown, coloured);
    }
    List<String> lines = new ArrayList<>(page);
    if (rows > 1) {
      lines.add(
          new Line(columns, coloured)
              .add(Ink.STRONG, paused ? "paused  " : "")
              .add(Ink.QUIET, KEYS)
              .toString());
    }
    return lines;
  }
}
