package dev.weir.server.top;

/** A line being written: text, colours if there are any, and never more than so many columns. */
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

  private final StringBuilder text = new StringBuilder();
  private final boolean coloured;
  private int left;

  Line(int columns, boolean coloured) {
    this.left = columns;
    this.coloured = coloured;
  }

  Line add(String more) {
    return add(Ink.PLAIN, more);
  }

  Line add(Ink ink, String more) {
    String shown = more.length() > left ? more.substring(0, left) : more;
    left -= shown.length();
    if (coloured && ink != Ink.PLAIN && !shown.isEmpty()) {
      text.append(ink.code).append(shown).append(RESET);
    } else {
      text.append(shown);
    }
    return this;
  }

  int columnsLeft() {
    return left;
  }

  @Override
  public String toString() {
    return text.toString().stripTrailing();
  }
}
