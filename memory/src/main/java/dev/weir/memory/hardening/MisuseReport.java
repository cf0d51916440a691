package dev.weir.memory.hardening;

import java.util.List;
import java.util.Map;

/**
 * The mistakes that a pool has found since it was created.
 *
 * @param counts how many of each kind, those of which there was one
 * @param latest the last of them, the newest first, at most {@link #MAX_LATEST}
 */
public record MisuseReport(Map<Misuse.Kind, Long> counts, List<Misuse> latest) {
  /** So many are kept. */
  public static final int MAX_LATEST = 64;

  /** Of a pool that is not hardened, or has found nothing. */
  public static final MisuseReport EMPTY = new MisuseReport(Map.of(), List.of());

  /** Copies both. */
  public MisuseReport {
    counts = Map.copyOf(counts);
    latest = List.copyOf(latest);
  }

  /** How many there were in all. */
  public long total() {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }
}
