package dev.weir.lab.trace.synthetic;

import dev.weir.lab.trace.TracePhase.Kind;
import java.util.ArrayList;
import java.util.List;

/** Traces of a cache of 192 MiB, two thirds of it first in first out, one third random. */
final class CacheTraces {
  private static final long MIB = 1L << 20;
  private static final long FIFO_BYTES = 128 * MIB;
  private static final long RANDOM_BYTES = 64 * MIB;
  private static final int ROUNDS = 3;

  /**
   * Blocks of each phase of {@link #cache}: 8 MB of the smallest sizes, 10 GB of the largest. So
   * the pages that live blocks touch exceed what is live by 5 % at most.
   */
  private static final int BLOCKS = 4_000;

  /** How often a phase by bytes renews the cache: what is random then is renewed to 86 %. */
  private static final int RENEWALS = 2;

  /** One byte in so many survives the first drop: 2 %. */
  private static final int SURVIVES_ONE_IN = 50;

  private static final long SURVIVING_BYTES = 8 * MIB;
  private static final long IDLE_MICROS = 2_000_000;

  private static final List<Sizes> SIZES =
      List.of(Sizes.TINY, Sizes.SMALL, Sizes.MEDIUM, Sizes.LARGE, Sizes.HUGE, Sizes.GIANT);

  private final CacheModel cache;
  private final double scale;
  private final List<Act> acts = new ArrayList<>();

  private CacheTraces(SeededRandom random, double scale) {
    this.scale = scale;
    this.cache =
        new CacheModel(Math.round(FIFO_BYTES * scale), Math.round(RANDOM_BYTES * scale), random);
  }

  /**
   * Three rounds of six phases of sizes, as many blocks in each; then two drops: after the last
   * phase, and after 1 – 64 KiB.
   */
  static List<Act> cache(SeededRandom random, double scale) {
    CacheTraces trace = new CacheTraces(random, scale);
    for (int round = 1; round <= ROUNDS; round++) {
      for (Sizes sizes : SIZES) {
        trace.acts.add(Act.phase("round " + round + ", " + sizes.label()));
        trace.acts.add(trace.cache.add(sizes, Math.round(BLOCKS * scale)));
      }
    }
    trace.dropToShare();
    trace.renew("again ", Sizes.MEDIUM);
    trace.dropToSurvivors();
    return trace.acts;
  }

  /**
   * The six phases with as many bytes in each, so that blocks of one size fill the cache when those
   * of the next begin to replace them.
   */
  static List<Act> renewal(SeededRandom random, double scale) {
    CacheTraces trace = new CacheTraces(random, scale);
    SIZES.forEach(sizes -> trace.renew("", sizes));
    return trace.acts;
  }

  /** The phases up to 1 – 64 KiB, a drop to 2 %, the last phase again, a drop to 8 MiB. */
  static List<Act> drop(SeededRandom random, double scale) {
    CacheTraces trace = new CacheTraces(random, scale);
    trace.renew("", Sizes.TINY);
    trace.renew("", Sizes.SMALL);
    trace.renew("", Sizes.MEDIUM);
    trace.dropToShare();
    trace.renew("again ", Sizes.MEDIUM);
    trace.dropToSurvivors();
    return trace.acts;
  }

  private void renew(String prefix, Sizes sizes) {
    acts.add(Act.phase(prefix + sizes.label()));
    acts.add(cache.turnOver(sizes, RENEWALS * cache.capacityBytes()));
  }

  private void dropToShare() {
    acts.add(Act.phase("drop to 2 %", Kind.DROP));
    acts.add(cache.dropTo(cache.capacityBytes() / SURVIVES_ONE_IN));
    acts.add(Act.pause(IDLE_MICROS));
  }

  private void dropToSurvivors() {
    acts.add(Act.phase("drop to 8 MiB", Kind.DROP));
    acts.add(cache.dropTo(Math.round(SURVIVING_BYTES * scale)));
    acts.add(Act.pause(IDLE_MICROS));
  }
}
