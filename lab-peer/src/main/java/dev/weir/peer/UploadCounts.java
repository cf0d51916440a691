package dev.weir.peer;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** What became of uploads. Thread-safe. */
final class UploadCounts {
  private final AtomicLong answered = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final AtomicReference<@Nullable String> firstFailure = new AtomicReference<>();

  void answered() {
    answered.incrementAndGet();
  }

  /** Something went wrong on a connection; counts those for which there was no memory. */
  void failed(Throwable cause) {
    boolean noMemory = false;
    for (Throwable link = cause; link != null; link = link.getCause()) {
      noMemory |= link instanceof OutOfMemoryError;
    }
    if (noMemory) {
      refused.incrementAndGet();
      firstFailure.compareAndSet(null, cause.toString());
    }
  }

  Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("answered", answered.get());
    map.put("refused", refused.get());
    String failure = firstFailure.get();
    if (failure != null) {
      map.put("firstFailure", failure);
    }
    return map;
  }
}
