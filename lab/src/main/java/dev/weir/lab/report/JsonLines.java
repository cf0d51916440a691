package dev.weir.lab.report;

import dev.weir.lab.files.WholeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.jr.ob.JSON;

/** Rows as JSON: one object a line. */
public final class JsonLines {
  private JsonLines() {}

  /** One row as one line, without the line's end. */
  public static String line(Map<String, ?> row) {
    return JSON.std.with(JSON.Feature.WRITE_NULL_PROPERTIES).asString(row);
  }

  /** Reads what {@link #line} wrote. */
  public static Map<String, Object> parse(String line) {
    return JSON.std.mapFrom(line);
  }

  /**
   * A number of a row.
   *
   * @throws IllegalArgumentException if it has none of that name
   */
  public static long number(Map<String, Object> row, String name) {
    if (row.get(name) instanceof Number number) {
      return number.longValue();
    }
    throw new IllegalArgumentException("no number '" + name + "' in " + row);
  }

  /** A figure of a row; null if it has none of that name, or one that is no number. */
  public static @Nullable Double figure(Map<?, ?> row, String name) {
    return row.get(name) instanceof Number number && Double.isFinite(number.doubleValue())
        ? number.doubleValue()
        : null;
  }

  /**
   * Writes the rows to a file, which is replaced when they are written.
   *
   * @throws IOException if the file cannot be written
   */
  public static void write(Path file, List<? extends Map<String, ?>> rows) throws IOException {
    StringBuilder text = new StringBuilder();
    for (Map<String, ?> row : rows) {
      text.append(line(row)).append('\n');
    }
    WholeFile.write(file, text);
  }
}
