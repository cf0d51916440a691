package dev.weir.benchmarks.record;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import tools.jackson.jr.ob.JSON;

/**
 * One run of a record.
 *
 * @param command what the user typed
 * @param machine what it ran on
 * @param noise how quiet that was
 * @param rows what was measured
 */
record BenchRun(
    String command,
    Map<String, Object> machine,
    Map<String, Object> noise,
    List<Map<String, Object>> rows) {

  /** Reads a run; empty if the object is none. */
  static Optional<BenchRun> of(Object json) {
    if (json instanceof Map<?, ?> fields
        && fields.get("command") instanceof String command
        && fields.get("machine") instanceof Map<?, ?> machine
        && fields.get("noise") instanceof Map<?, ?> noise
        && fields.get("rows") instanceof List<?> rows
        && rows.stream().allMatch(row -> row instanceof Map<?, ?>)) {
      return Optional.of(
          new BenchRun(
              command,
              object(machine),
              object(noise),
              rows.stream().map(row -> object((Map<?, ?>) row)).toList()));
    }
    return Optional.empty();
  }

  /** The JSON object, with a line for each row, so that differences of records can be read. */
  String text() {
    String head =
        "{\"command\":%s,\n\"machine\":%s,\n\"noise\":%s,\n\"rows\":[\n"
            .formatted(json(command), json(machine), json(noise));
    return rows.stream().map(BenchRun::json).collect(Collectors.joining(",\n", head, "\n]}"));
  }

  private static String json(Object value) {
    return JSON.std.asString(value);
  }

  @SuppressWarnings("unchecked") // Keys of JSON objects are strings.
  private static Map<String, Object> object(Map<?, ?> json) {
    return (Map<String, Object>) json;
  }
}
