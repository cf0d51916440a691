package dev.weir.benchmarks.pattern;

import dev.weir.benchmarks.peer.Buffers;

/** What buffers go through. */
public enum AllocPattern {
  /** Released at once. */
  ALLOCATE_RELEASE("allocate-release"),
  /** Many live, first in, first out. */
  RING("ring"),
  /** Many live, any of them replaced. */
  RANDOM("random");

  private final String label;

  AllocPattern(String label) {
    this.label = label;
  }

  /** The name on the command line and in reports. */
  public String label() {
    return label;
  }

  /** Whether buffers stay live between operations. */
  public boolean keepsBuffers() {
    return this != ALLOCATE_RELEASE;
  }

  /**
   * Starts the pattern for the calling thread.
   *
   * @param sizes belong to this run from now on
   * @param live how many buffers it keeps live
   * @param seed which of them it replaces
   */
  @SuppressWarnings("unchecked") // A pattern gives back only what it got from the same peer.
  public PatternRun start(Buffers<?> buffers, SizeMix sizes, boolean touched, int live, long seed) {
    Buffers<Object> any = (Buffers<Object>) buffers;
    return switch (this) {
      case ALLOCATE_RELEASE -> new AllocateRelease(any, sizes, touched);
      case RING -> new Ring(any, sizes, touched, live);
      case RANDOM -> new RandomReplacement(any, sizes, touched, live, seed);
    };
  }

  /**
   * Finds a pattern by its label.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static AllocPattern of(String label) {
    for (AllocPattern pattern : values()) {
      if (pattern.label.equals(label)) {
        return pattern;
      }
    }
    throw new IllegalArgumentException("no pattern '" + label + "'");
  }
}
