package dev.weir.server.top;

import java.util.ArrayList;
import java.util.List;

/**
 * A line being written: text, colours if there are any, and never more than so many columns. One
 * that is cut ends with an ellipsis.
 */
final class Line {
  /** The colours, by what they stand for. */
  enum Ink {
    PLAIN(""),
    STRONG("\033[1m"),
    LIVE("\033[34m"),
    DIRTY("\033[33m"),
    QUIET("\033[2m"),
    ALARM("\033[31m");

    private final String code;

    Ink(String code) {
      this.code = code;
    }
  }

  private static final String RESET = "\033[0m";

  private record Part(Ink ink, String text) {}

  private final List<Part> parts = new ArrayList<>();
  private final int columns;
  private final boolean coloured;
  private int length;

  Line(int columns, boolean coloured) {
    this.columns = columns;
    this.coloured = coloured;
  }

  Line add(String more) {
    return add(Ink.PLAIN, more);
  }

  Line add(Ink ink, String more) {
    parts.add(new Part(ink, more));
    length += more.length();
    return this;
  }

  int columnsLeft() {
    return Math.max(0, columns - length);
  }

  /** As much of a text as fits into so many columns; if it is cut, an ellipsis tells. */
  static String cut(String text, int columns) {
    if (text.length() <= columns) {
      return text;
    }
    int end = Math.max(0, columns - 1);
    boolean withinCharacter = end > 0 && Character.isHighSurrogate(text.charAt(end - 1));
    return text.substring(0, withinCharacter ? end - 1 : end) + "…";
  }

  @Override
  public String toString() {
    StringBuilder plain = new StringBuilder();
    parts.forEach(part -> plain.append(part.text));
    String shown = cut(plain.toString().stripTrailing(), columns);
    StringBuilder line = new StringBuilder();
    int from = 0;
    for (Part part : parts) {
      int to = Math.min(shown.length(), from + part.text.length());
      String piece = shown.substring(from, to);
      boolean inked = coloured && part.ink != Ink.PLAIN && !piece.isEmpty();
      line.append(inked ? part.ink.code + piece + RESET : piece);
      from = to;
    }
    return line.toString();
  }
}
