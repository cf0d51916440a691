package dev.weir.lab.trace.synthetic;

import dev.weir.lab.trace.TraceSource;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The traces that can be made from a seed. The same seed and scale make the same trace. */
public enum SyntheticTrace {
  /** A cache through three rounds of six phases of sizes, then two drops. */
  CACHE("cache", "cache of 192 MiB, three rounds of sizes from 100 B to 4 MiB, then drops") {
    @Override
    List<Act> acts(SeededRandom random, double scale) {
      return CacheTraces.cache(random, scale);
    }
  },
  /** The cache, filled anew with sizes after sizes. */
  RENEWAL("renewal", "the cache filled anew with each of the six sizes") {
    @Override
    List<Act> acts(SeededRandom random, double scale) {
      return CacheTraces.renewal(random, scale);
    }
  },
  /** The cache with small sizes only, dropped to 2 % and to 8 MiB. */
  DROP("drop", "the cache with sizes up to 64 KiB, dropped to 2 % and to 8 MiB") {
    @Override
    List<Act> acts(SeededRandom random, double scale) {
      return CacheTraces.drop(random, scale);
    }
  },
  /** Small blocks of which one in fifty stays. */
  SURVIVORS_SMALL("survivors-small", "blocks of 100 B to 4 KiB that leave, but for 2 %") {
    @Override
    List<Act> acts(SeededRandom random, double scale) {
      return SurvivorTraces.small(random, scale);
    }
  },
  /** Buffers of 1 MiB, replaced in turn. */
  CHURN_1M("churn-1m", "16 buffers of 1 MiB, the oldest replaced by a new one 10,000 times") {
    @Override
    List<Act> acts(SeededRandom random, double scale) {
      return ChurnTraces.ofOneMebibyte(scale);
    }
  },
  /** Sizes from 64 B to 512 KiB, lives short and long. */
  MIXED("mixed", "sizes from 64 B to 512 KiB, lives from one allocation to 200,000") {
    @Override
    List<Act> acts(SeededRandom random, double scale) {
      return MixedTraces.lifetimes(random, scale);
    }
  };

  private final String label;
  private final String description;

  SyntheticTrace(String label, String description) {
    this.label = label;
    this.description = description;
  }

  abstract List<Act> acts(SeededRandom random, double scale);

  /** The name on the command line. */
  public String label() {
    return label;
  }

  /** What it is, in a few words. */
  public String description() {
    return description;
  }

  /** Finds a trace by its label. */
  public static Optional<SyntheticTrace> of(String label) {
    return Arrays.stream(values()).filter(trace -> trace.label.equals(label)).findFirst();
  }

  /** Every label, separated by commas. */
  public static String labels() {
    return Arrays.stream(values()).map(SyntheticTrace::label).collect(Collectors.joining(", "));
  }

  /**
   * Begins the trace.
   *
   * @param scale how large: 1 is what the description says, 0.1 a tenth of its memory or length
   * @throws IOException never, but its sinks may
   */
  public TraceSource open(long seed, double scale) throws IOException {
    return new ActsSource(() -> acts(new SeededRandom(seed), scale));
  }
}
