package dev.weir.memory.hardening;

import java.util.List;

/**
 * A mistake in the use of a hardened block.
 *
 * @param kind what kind of mistake
 * @param message what happened, to which block, in one line
 * @param allocated who allocated the block: the frames outside Weir, the innermost first; empty if
 *     there was no memory to keep them
 * @param released who released it; empty while it is live
 * @param threadName the thread that found it
 */
public record Misuse(
    Kind kind,
    String message,
    List<StackTraceElement> allocated,
    List<StackTraceElement> released,
    String threadName) {

  /** Kinds of mistakes. */
  public enum Kind {
    /** Bytes behind the end were written; found when the block was released. */
    OVERRUN,
    /** Bytes in front of the start were written; found likewise. */
    UNDERRUN,
    /** A released block or buffer was read or written, and refused that. */
    USE_AFTER_RELEASE,
    /** A released block or buffer was released or retained, and refused that. */
    SECOND_RELEASE,
    /** Bytes were written after the release, through a bare address; found some time later. */
    WRITE_AFTER_RELEASE
  }

  /** Copies the stacks. */
  public Misuse {
    allocated = List.copyOf(allocated);
    released = List.copyOf(released);
  }
}
