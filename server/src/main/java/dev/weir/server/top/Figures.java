package dev.weir.server.top;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A JSON object that another program sent. What is missing, or is of another kind, reads as 0, as
 * empty text, or as empty: a newer or older node is shown as far as it is understood.
 */
record Figures(Map<?, ?> json) {
  private static final Figures NONE = new Figures(Map.of());

  static Figures of(@Nullable Object json) {
    return json instanceof Map<?, ?> map ? new Figures(map) : NONE;
  }

  Figures child(String name) {
    return of(json.get(name));
  }

  List<Figures> children(String name) {
    return json.get(name) instanceof List<?> list
        ? list.stream().map(Figures::of).toList()
        : List.of();
  }

  long number(String name) {
    return json.get(name) instanceof Number number ? number.longValue() : 0;
  }

  /** Whether the number is there. */
  boolean has(String name) {
    return json.get(name) instanceof Number;
  }

  /** Text without what a terminal would take as a command. */
  String text(String name) {
    return json.get(name) instanceof String text ? harmless(text) : "";
  }

  /** A list of such texts. */
  List<String> texts(String name) {
    return json.get(name) instanceof List<?> list
        ? list.stream()
            .filter(String.class::isInstance)
            .map(text -> harmless((String) text))
            .toList()
        : List.of();
  }

  private static String harmless(String text) {
    return text.replaceAll("[\\p{Cc}\\p{Cf}\\u2028\\u2029]", "?");
  }
}
