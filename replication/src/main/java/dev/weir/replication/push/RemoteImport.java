package dev.weir.replication.push;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.jr.ob.JSON;

/**
 * An import as the server describes it.
 *
 * @param missing what has not come; a page of it
 * @param next where the list goes on; -1 when it is whole
 */
record RemoteImport(
    String id, String state, String reason, long keptBytes, List<Part> missing, long next) {

  boolean isChecking() {
    return state.equals("checking");
  }

  /** Whether nothing is missing, and it will have its name. */
  boolean isWhole() {
    return state.equals("syncing") || isDone();
  }

  boolean isDone() {
    return state.equals("done");
  }

  boolean hasEnded() {
    return state.equals("ended");
  }

  /**
   * Reads a description.
   *
   * @throws IOException when it is none
   */
  static RemoteImport parse(String text) throws IOException {
    try {
      Map<String, Object> row = JSON.std.mapFrom(text);
      return new RemoteImport(
          String.valueOf(row.get("id")),
          String.valueOf(row.get("state")),
          String.valueOf(row.getOrDefault("reason", "")),
          number(row.getOrDefault("keptBytes", 0L)),
          ranges(row.get("missing")),
          number(row.getOrDefault("next", -1L)));
    } catch (JacksonException e) {
      throw new IOException("the server's answer is no description of an import", e);
    }
  }

  /** Ranges that a refusal names as wrong. */
  static List<Part> wrong(String text) throws IOException {
    try {
      return ranges(JSON.std.mapFrom(text).get("wrong"));
    } catch (JacksonException e) {
      throw new IOException("the server's answer names no ranges", e);
    }
  }

  /** The reason that a refusal states, or all of its text. */
  static String reason(String text) {
    try {
      return String.valueOf(JSON.std.mapFrom(text).getOrDefault("reason", text));
    } catch (JacksonException e) {
      return text;
    }
  }

  private static List<Part> ranges(@Nullable Object list) throws IOException {
    List<Part> ranges = new ArrayList<>();
    if (list instanceof List<?> pairs) {
      for (Object pair : pairs) {
        if (!(pair instanceof List<?> ends) || ends.size() != 2) {
          throw new IOException("the server's answer has a range that is none");
        }
        ranges.add(new Part(number(ends.get(0)), number(ends.get(1)), /* isSecondTry= */ false));
      }
    }
    return ranges;
  }

  private static long number(@Nullable Object value) throws IOException {
    if (value instanceof Number number) {
      return number.longValue();
    }
    throw new IOException("the server's answer has a number that is none");
  }
}
