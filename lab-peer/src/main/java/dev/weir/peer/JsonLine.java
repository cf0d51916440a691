package dev.weir.peer;

import java.io.PrintStream;
import java.util.Map;

/** One JSON object a line on standard output: numbers, truth values and texts. */
final class JsonLine {
  /** Control characters end here; they become spaces. */
  private static final char FIRST_PRINTABLE = ' ';

  private JsonLine() {}

  /** Says the map to the parent. */
  static void say(Map<String, ?> map) {
    StringBuilder line = new StringBuilder("{");
    for (Map.Entry<String, ?> entry : map.entrySet()) {
      line.append(line.length() > 1 ? "," : "");
      text(line, entry.getKey()).append(':');
      Object value = entry.getValue();
      if (value instanceof Number || value instanceof Boolean) {
        line.append(value);
      } else {
        text(line, String.valueOf(value));
      }
    }
    PrintStream out = System.out;
    out.println(line.append('}'));
    out.flush();
  }

  private static StringBuilder text(StringBuilder line, String text) {
    line.append('"');
    for (int i = 0; i < text.length(); i++) {
      char letter = text.charAt(i);
      if (letter == '"' || letter == '\\') {
        line.append('\\');
      }
      line.append(letter < FIRST_PRINTABLE ? ' ' : letter);
    }
    return line.append('"');
  }
}
