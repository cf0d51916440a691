package dev.weir.lab.httpburst;

import static dev.weir.lab.report.JsonLines.number;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The numbers of one burst.
 *
 * @param uploads how many bodies are sent in all
 * @param atOnce how many clients send at a time
 * @param bodyBytes the length of each body
 * @param bytesPerSecond the pace of each client
 * @param holdMillis how long the server holds a whole body before it answers
 * @param limitBytes the direct memory that each allocator may use
 * @param gateBytes the bodies that admission lets in at a time in front of Netty's allocators
 * @param idleMillis how long after the last request the idle memory is read
 */
public record HttpBurstPlan(
    int uploads,
    int atOnce,
    int bodyBytes,
    long bytesPerSecond,
    int holdMillis,
    long limitBytes,
    long gateBytes,
    int idleMillis) {

  /** As long as a quick piece of work on a body takes. */
  static final int HOLD_MILLIS = 20;

  /** Twice the time after which Weir's pool gives free pages back. */
  static final int IDLE_MILLIS = 2_000;

  /** As a JSON object, for the process under test. */
  Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("uploads", uploads);
    map.put("atOnce", atOnce);
    map.put("bodyBytes", bodyBytes);
    map.put("bytesPerSecond", bytesPerSecond);
    map.put("holdMillis", holdMillis);
    map.put("limitBytes", limitBytes);
    map.put("gateBytes", gateBytes);
    map.put("idleMillis", idleMillis);
    return map;
  }

  static HttpBurstPlan of(Map<String, Object> map) {
    return new HttpBurstPlan(
        (int) number(map, "uploads"),
        (int) number(map, "atOnce"),
        (int) number(map, "bodyBytes"),
        number(map, "bytesPerSecond"),
        (int) number(map, "holdMillis"),
        number(map, "limitBytes"),
        number(map, "gateBytes"),
        (int) number(map, "idleMillis"));
  }
}
