package dev.weir.memory.hardening;

import dev.weir.memory.hardening.Misuse.Kind;
import java.lang.foreign.MemorySegment;
import java.nio.Buffer;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Names the block behind an access that the JDK has refused. Whoever has kept a segment or an NIO
 * buffer of a hardened block beyond its release gets the JDK's own {@code IllegalStateException:
 * Already closed}: it is thrown where no code of Weir's runs, and tells of no block. This finds the
 * block for whoever has the segment or the buffer at hand, in a debugger too, whatever pool it was
 * of, until its pages are used again. Thread-safe.
 *
 * <pre>{@code
 * try {
 *   parse(buffer);
 * } catch (IllegalStateException e) {
 *   throw StaleAccess.explain(e, MemorySegment.ofBuffer(buffer));
 * }
 * }</pre>
 */
public final class StaleAccess {
  private static final Set<Finder> FINDERS =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  private StaleAccess() {}

  /** Knows the released blocks of one pool. Known by identity, and weakly. */
  public interface Finder {
    /** As {@link StaleAccess#historyOf(MemorySegment)}, of that pool's blocks. */
    @Nullable BlockHistory historyOf(MemorySegment accessed);
  }

  /** Looks into the quarantine of a pool too, for as long as that is in use. For the pool. */
  public static void lookWith(Finder finder) {
    FINDERS.add(finder);
  }

  /**
   * Who allocated and who released the block that a segment saw; null if it was not hardened, is
   * live, or has left the quarantine.
   */
  public static @Nullable BlockHistory historyOf(MemorySegment accessed) {
    List<Finder> all;
    synchronized (FINDERS) {
      all = List.copyOf(FINDERS);
    }
    for (Finder finder : all) {
      BlockHistory history = finder.historyOf(accessed);
      if (history != null) {
        return history;
      }
    }
    return null;
  }

  /** As {@link #historyOf(MemorySegment)}, of an NIO buffer. */
  public static @Nullable BlockHistory historyOf(Buffer accessed) {
    return historyOf(MemorySegment.ofBuffer(accessed));
  }

  /**
   * Completes what an access failed with: the release, caused by the allocation, becomes its cause,
   * and the mistake is counted, kept and logged as those that Weir finds itself. Does nothing where
   * {@link #historyOf} is null.
   *
   * @return {@code failure}
   */
  public static <X extends RuntimeException> X explain(X failure, MemorySegment accessed) {
    BlockHistory history = historyOf(accessed);
    if (history != null) {
      history.tell(Kind.USE_AFTER_RELEASE, "access to a closed segment or buffer");
      try {
        failure.initCause(history.asCause());
      } catch (IllegalStateException hasOne) {
        failure.addSuppressed(history.asCause());
      }
    }
    return failure;
  }
}
