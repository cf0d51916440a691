package dev.weir.server.console;

import java.util.LinkedHashMap;
import java.util.Map;

/** The figures of the last minutes, in a ring that never grows. For one thread. */
final class History {
  private final long[] resident;
  private final long[] live;
  private final long[] limit;
  private int next;
  private int size;

  History(int samples) {
    resident = new long[samples];
    live = new long[samples];
    limit = new long[samples];
  }

  void add(long residentBytes, long liveBytes, long limitBytes) {
    resident[next] = residentBytes;
    live[next] = liveBytes;
    limit[next] = limitBytes;
    next = (next + 1) % resident.length;
    size = Math.min(size + 1, resident.length);
  }

  /** Oldest first. */
  Map<String, Object> json(long intervalMillis) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("intervalMillis", intervalMillis);
    json.put("samples", resident.length);
    json.put("residentBytes", ordered(resident));
    json.put("liveBytes", ordered(live));
    json.put("limitBytes", ordered(limit));
    return json;
  }

  private long[] ordered(long[] ring) {
    long[] values = new long[size];
    for (int i = 0; i < size; i++) {
      values[i] = ring[(next - size + i + ring.length) % ring.length];
    }
    return values;
  }
}
