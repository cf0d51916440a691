package dev.weir.lab.report;

/** Text in HTML. */
public final class Html {
  private Html() {}

  /** The text with everything replaced that means something in HTML, attributes included. */
  public static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
