package dev.weir.memory.hardening;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Which blocks of a pool are hardened, and how. A hardened block has pages of its own: every access
 * through a segment or a buffer after its release fails, a second release fails for ever, and what
 * was written behind its end is found when it is released. Immutable.
 *
 * @param interval one block in so many is hardened, at random, and fewer where that would take more
 *     than 1 % of a thread's time; 1 hardens all
 * @param quarantineBytes how many pages of released blocks rest before they are used again, in
 *     bytes; a quarter of the pool's limit at most, and 0 stands for a 32nd of it
 * @param poisons whether a block is overwritten when it is released, at most its first MiB, and
 *     looked at again when its pages are to be used anew: so writes through a bare address are
 *     found too
 */
public record Hardening(int interval, long quarantineBytes, boolean poisons) {
  /** The property that hardens every pool of the process whose options say nothing of it. */
  public static final String PROPERTY = "weir.hardening";

  /**
   * One block in so many, unless told otherwise: at a million blocks a second sixty of them, which
   * take a few tens of microseconds each.
   */
  public static final int DEFAULT_INTERVAL = 1 << 14;

  /** Checks the figures. */
  public Hardening {
    if (interval < 1) {
      throw new IllegalArgumentException(
          "hardening of one block in " + interval + ": the interval is not positive");
    }
    if (quarantineBytes < 0) {
      throw new IllegalArgumentException("size of the quarantine is negative: " + quarantineBytes);
    }
  }

  /** A sample of the blocks at the default interval: for services. */
  public static Hardening sampled() {
    return oneIn(DEFAULT_INTERVAL);
  }

  /** A sample of one block in {@code interval}. */
  public static Hardening oneIn(int interval) {
    return new Hardening(interval, /* quarantineBytes= */ 0, /* poisons= */ false);
  }

  /**
   * Every block, with poison: for tests. Each takes pages of its own and some tens of microseconds.
   */
  public static Hardening full() {
    return new Hardening(/* interval= */ 1, /* quarantineBytes= */ 0, /* poisons= */ true);
  }

  /** A copy with another size of the quarantine, in bytes of whole pages. */
  public Hardening withQuarantine(long bytes) {
    return new Hardening(interval, bytes, poisons);
  }

  /** A copy that overwrites what is released. */
  public Hardening withPoison() {
    return new Hardening(interval, quarantineBytes, /* poisons= */ true);
  }

  /** Whether every block is hardened. */
  public boolean isFull() {
    return interval == 1;
  }

  /** What the property {@value #PROPERTY} of the process asks for; null if it is not set. */
  public static @Nullable Hardening ofProcess() {
    String text = System.getProperty(PROPERTY);
    return text == null ? null : parse(text);
  }

  /**
   * Reads a setting as the property and the command line have it.
   *
   * @param text {@code off}, {@code sampled}, {@code full}, or a number: one block in so many
   * @return null for {@code off}
   * @throws IllegalArgumentException if it is anything else
   */
  public static @Nullable Hardening parse(String text) {
    return switch (text.strip().toLowerCase(Locale.ROOT)) {
      case "off" -> null;
      case "sampled" -> sampled();
      case "full" -> full();
      case String number -> {
        try {
          yield oneIn(Integer.parseInt(number));
        } catch (IllegalArgumentException e) {
          throw new IllegalArgumentException(
              "hardening '%s' is not off, sampled, full, or a positive number: one block in so many"
                  .formatted(text),
              e);
        }
      }
    };
  }
}
