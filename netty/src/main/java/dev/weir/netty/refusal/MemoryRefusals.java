package dev.weir.netty.refusal;

import dev.weir.memory.budget.BudgetExceededError;
import io.netty.util.internal.OutOfDirectMemoryError;
import org.jspecify.annotations.Nullable;

/**
 * Tells refusals of an allocator, which are expected, from a Java heap that is full, which is not.
 * Those of Weir are {@link BudgetExceededError}s; where the allocator may be another, so are
 * Netty's own and the JDK's, of their limits of direct memory.
 */
public final class MemoryRefusals {
  private MemoryRefusals() {}

  /** Whether an allocator has refused a buffer. */
  public static boolean isRefusal(@Nullable Throwable thrown) {
    return thrown instanceof BudgetExceededError
        || thrown instanceof HiddenRefusal
        || thrown instanceof OutOfDirectMemoryError
        || (thrown instanceof OutOfMemoryError && isOfTheJdk(thrown.getMessage()));
  }

  /** Throws what is no refusal. */
  public static void require(OutOfMemoryError thrown) {
    if (!isRefusal(thrown)) {
      throw thrown;
    }
  }

  /** Makes a refusal of what only shows that there was one. */
  public static OutOfMemoryError hidden(String message, Throwable shown) {
    return new HiddenRefusal(message, shown);
  }

  private static final class HiddenRefusal extends OutOfMemoryError {
    private static final long serialVersionUID = 1L;

    HiddenRefusal(String message, Throwable shown) {
      super(message);
      initCause(shown);
    }
  }

  /** As {@code java.nio.Bits} says it. */
  private static boolean isOfTheJdk(@Nullable String message) {
    return message != null
        && message.startsWith("Cannot reserve ")
        && message.contains("bytes of direct buffer memory");
  }
}
