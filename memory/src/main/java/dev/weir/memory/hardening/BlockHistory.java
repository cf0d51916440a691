package dev.weir.memory.hardening;

import dev.weir.memory.sampling.AllocationStack;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who allocated a hardened block and who released it. Whoever writes it holds the block; any thread
 * may read it.
 */
public final class BlockHistory {
  /** What a full Java heap, or the end of a stack, left no room for. */
  private static final String UNKNOWN = "at an unknown place";

  private final MisuseLog misuses;
  private final long bytes;
  private final String allocatedBy;
  private final @Nullable AllocationStack allocatedAt;
  private volatile @Nullable String releasedBy;
  private volatile @Nullable AllocationStack releasedAt;

  private BlockHistory(
      MisuseLog misuses, long bytes, String allocatedBy, @Nullable AllocationStack allocatedAt) {
    this.misuses = misuses;
    this.bytes = bytes;
    this.allocatedBy = allocatedBy;
    this.allocatedAt = allocatedAt;
  }

  /** Begins with an allocation of so many bytes by the caller. For the pool. */
  public static BlockHistory begun(MisuseLog misuses, long bytes) {
    return new BlockHistory(
        misuses, bytes, Thread.currentThread().getName(), new AllocationStack());
  }

  /** The caller is about to release the block. Later calls do nothing. */
  public void release() {
    if (releasedBy == null) {
      releasedAt = new AllocationStack();
      releasedBy = Thread.currentThread().getName();
    }
  }

  /** The same allocation, without a release: of a buffer that has left the block. */
  public BlockHistory continued() {
    return new BlockHistory(misuses, bytes, allocatedBy, allocatedAt);
  }

  /** How many bytes were asked for. */
  public long bytes() {
    return bytes;
  }

  /** Whether the release is known. */
  public boolean isReleased() {
    return releasedBy != null;
  }

  /** Who allocated it: the frames outside Weir, the innermost first. */
  public List<StackTraceElement> allocation() {
    return frames(allocatedAt);
  }

  /** Who released it, likewise; empty while it is live. */
  public List<StackTraceElement> releaseStack() {
    return frames(releasedAt);
  }

  private static List<StackTraceElement> frames(@Nullable AllocationStack stack) {
    return stack == null ? List.of() : stack.frames();
  }

  /**
   * Records a mistake in the use of the block.
   *
   * @param what what happened
   * @return a message that says so, and whose block it was
   */
  public String tell(Misuse.Kind kind, String what) {
    String message = "%s: %s".formatted(what, this);
    misuses.add(kind, message, this);
    return message;
  }

  /** Records a mistake that was found by itself. */
  public void tellOfByte(Misuse.Kind kind, String what, long offset) {
    tell(kind, what.formatted(offset));
  }

  /** Records a mistake of the caller, who throws the result. */
  public IllegalStateException misused(Misuse.Kind kind, String what) {
    return new IllegalStateException(tell(kind, what), asCause());
  }

  /** Both as the cause of an error: the release, caused by the allocation. */
  public Throwable asCause() {
    BlockEvent allocated =
        new BlockEvent(
            "%,d bytes allocated by thread '%s'".formatted(bytes, allocatedBy), allocation(), null);
    String releaser = releasedBy;
    return releaser == null
        ? allocated
        : new BlockEvent("released by thread '%s'".formatted(releaser), releaseStack(), allocated);
  }

  /** One line: the innermost frame of both. */
  @Override
  public String toString() {
    String releaser = releasedBy;
    String text =
        "%,d bytes, allocated by thread '%s' %s".formatted(bytes, allocatedBy, place(allocation()));
    return releaser == null
        ? text
        : text + ", released by thread '%s' %s".formatted(releaser, place(releaseStack()));
  }

  private static String place(List<StackTraceElement> stack) {
    return stack.isEmpty() ? UNKNOWN : "at " + stack.getFirst();
  }
}
