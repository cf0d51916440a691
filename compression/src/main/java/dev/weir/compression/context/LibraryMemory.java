package dev.weir.compression.context;

import dev.weir.memory.Grant;
import java.lang.ref.Cleaner;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Memory that a library has taken by itself for one context, and the room of the pool that is set
 * aside for it. Both go back together.
 *
 * @param <H> what the library knows it by
 */
public final class LibraryMemory<H> {
  private final H handle;
  private final Grant charge;
  private final Consumer<? super H> close;

  private LibraryMemory(H handle, Grant charge, Consumer<? super H> close) {
    this.handle = handle;
    this.charge = charge;
    this.close = close;
  }

  /** Has a library take its memory. */
  @FunctionalInterface
  public interface Opener<H, X extends Exception> {
    /** Once. */
    H open() throws X;
  }

  /**
   * Makes a context of memory that its library takes. Whatever fails, nothing stays taken.
   *
   * @param bytes what the library takes at most
   * @param close gives the library's memory back, and refers to nothing of the application
   * @param maker makes the context, which has its memory {@linkplain #releaseWith released with it}
   *     as the last thing
   * @return null if there is no room now, as {@link ContextMemory#trySetAside}
   * @throws X as {@code opener} does
   */
  public static <H, C, X extends Exception> @Nullable C tryMake(
      ContextMemory memory,
      long bytes,
      Opener<H, X> opener,
      Consumer<? super H> close,
      Function<LibraryMemory<H>, C> maker)
      throws X {
    Grant charge = memory.trySetAside(bytes);
    if (charge == null) {
      return null;
    }
    H handle = null;
    C made = null;
    try {
      handle = opener.open();
      made = maker.apply(new LibraryMemory<>(handle, charge, close));
      return made;
    } finally {
      if (made == null) {
        giveBack(handle, charge, close);
      }
    }
  }

  /** What the library knows it by. */
  public H handle() {
    return handle;
  }

  /** What is set aside. */
  public long bytes() {
    return charge.bytes();
  }

  /** Has the memory go back with its context, or when that is lost. */
  public Cleaner.Cleanable releaseWith(Object context) {
    return LastResort.register(context, () -> giveBack(handle, charge, close));
  }

  private static <H> void giveBack(@Nullable H handle, Grant charge, Consumer<? super H> close) {
    try {
      if (handle != null) {
        close.accept(handle);
      }
    } finally {
      charge.close();
    }
  }
}
