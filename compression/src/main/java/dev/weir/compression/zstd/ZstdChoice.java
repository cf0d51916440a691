package dev.weir.compression.zstd;

import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Which library is used, or why none can be. */
final class ZstdChoice {
  private final @Nullable ZstdLibrary best;
  private final @Nullable IllegalStateException none;

  private ZstdChoice(@Nullable ZstdLibrary best, @Nullable IllegalStateException none) {
    this.best = best;
    this.none = none;
  }

  /** That of this process, found out once. */
  static ZstdChoice made() {
    return Made.CHOICE;
  }

  private static final class Made {
    static final ZstdChoice CHOICE = between(SystemZstd::find, JniZstd::load);

    private Made() {}
  }

  /**
   * Chooses.
   *
   * @param system the system's library, if it can be used
   * @param other loads the one to use otherwise, or throws {@link IllegalStateException}
   */
  static ZstdChoice between(
      Supplier<Optional<? extends ZstdLibrary>> system, Supplier<? extends ZstdLibrary> other) {
    ZstdLibrary found = null;
    try {
      found = system.get().orElse(null);
    } catch (LinkageError unusable) {
      // There is no linker for this platform, say.
    }
    try {
      return new ZstdChoice(found != null ? found : other.get(), /* none= */ null);
    } catch (IllegalStateException none) {
      return new ZstdChoice(/* best= */ null, none);
    }
  }

  /**
   * The library.
   *
   * @throws IllegalStateException if there is none, each time it is asked for
   */
  ZstdLibrary require() {
    if (best == null) {
      throw new IllegalStateException(none == null ? null : none.getMessage(), none);
    }
    return best;
  }
}
