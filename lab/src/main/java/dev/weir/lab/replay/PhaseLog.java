package dev.weir.lab.replay;

import dev.weir.lab.trace.TracePhase;
import dev.weir.lab.trace.TracePhase.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The figures of each phase. Not thread-safe. */
final class PhaseLog {
  private final List<Entry> entries = new ArrayList<>();
  private final boolean hasBound;
  private Figures current;
  private long faultsBefore;

  private record Entry(TracePhase phase, Figures figures) {}

  /** Of an allocator that promises to refuse nothing up to some bound, or of one that does not. */
  PhaseLog(boolean hasBound) {
    this.hasBound = hasBound;
    this.current = new Figures(/* ratiosCount= */ true, hasBound);
  }

  /** Ends the phase under way, if there is one, and begins another. */
  void begin(TracePhase phase, long threadFaults) {
    end(threadFaults);
    current = new Figures(phase.kind() != Kind.DROP, hasBound);
    entries.add(new Entry(phase, current));
    faultsBefore = threadFaults;
  }

  /** Ends the phase under way. */
  void end(long threadFaults) {
    if (!entries.isEmpty()) {
      current.took(0, threadFaults - faultsBefore);
    }
  }

  /** Whether the phase under way counts for nothing. */
  boolean isWarmingUp() {
    return !entries.isEmpty() && !entries.getLast().phase.kind().counts();
  }

  /** Of the phase under way. */
  Figures figures() {
    return current;
  }

  /** Of nothing yet. */
  Figures newFigures() {
    return new Figures(/* ratiosCount= */ true, hasBound);
  }

  /** Of every phase that is no warm-up. */
  Figures total() {
    Figures total = newFigures();
    entries.stream()
        .filter(entry -> entry.phase.kind().counts())
        .forEach(entry -> total.add(entry.figures));
    return total;
  }

  /** Of each phase in which anything happened, with its label. */
  List<Map<String, @Nullable Object>> toMaps() {
    List<Map<String, @Nullable Object>> maps = new ArrayList<>();
    for (Entry entry : entries) {
      if (!entry.figures.isEmpty()) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("phase", entry.phase.label());
        map.put("kind", entry.phase.kind().name().toLowerCase(Locale.ROOT).replace('_', '-'));
        map.putAll(entry.figures.toMap());
        maps.add(map);
      }
    }
    return maps;
  }
}
