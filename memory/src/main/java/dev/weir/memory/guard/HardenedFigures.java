package dev.weir.memory.guard;

import org.jspecify.annotations.Nullable;

/**
 * What hardening takes, in bytes; exact when nobody allocates or releases meanwhile.
 *
 * @param besideBytes what the pages of live hardened blocks have beside the blocks
 * @param quarantinedBytes pages of released ones that rest before they are used again
 * @param quarantinedBlocks how many these are
 * @param misuses how many mistakes were found so far
 */
public record HardenedFigures(
    long besideBytes, long quarantinedBytes, long quarantinedBlocks, long misuses) {
  private static final HardenedFigures NONE = new HardenedFigures(0, 0, 0, 0);

  /** Those of a pool; zeros if it hardens nothing. */
  public static HardenedFigures of(@Nullable Hardener hardener) {
    return hardener == null ? NONE : hardener.figures();
  }
}
