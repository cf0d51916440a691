package dev.weir.lab.contender;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.List;

/**
 * A C library that allocates, called through the foreign function interface. Loading one beside the
 * C library of the process leaves that one's callers, the JVM among them, where they are.
 *
 * <p>{@code malloc} and {@code free} are critical calls, the fastest that Java has: the thread
 * stays in Java as far as the JVM knows, which saves a transition to native code and back. A call
 * that maps or unmaps megabytes keeps the other threads from a safepoint until it is over: where
 * all that a JVM does is measure, only its collector waits for that; in a service others would.
 * {@code realloc}, which may copy megabytes, has the transition.
 *
 * @param title what people call it
 * @param files what it may be called on this machine, the preferred first; none for the C library
 * @param debianPackage where Debian has it
 * @param prefix what the names of its functions begin with
 */
@SuppressWarnings("restricted") // foreign calls are what this class is for
public record MallocLibrary(String title, List<String> files, String debianPackage, String prefix) {
  /** The one that the JVM itself runs on. */
  public static final MallocLibrary GLIBC =
      new MallocLibrary("the C library", List.of(), "libc6", "");

  /** Microsoft's. */
  public static final MallocLibrary MIMALLOC =
      new MallocLibrary(
          "mimalloc",
          List.of("libmimalloc.so.3", "libmimalloc.so.2"),
          "libmimalloc2.0 or libmimalloc3",
          "mi_");

  /** FreeBSD's. */
  public static final MallocLibrary JEMALLOC =
      new MallocLibrary("jemalloc", List.of("libjemalloc.so.2"), "libjemalloc2", "");

  /** That of gperftools, without its profilers. */
  public static final MallocLibrary TCMALLOC =
      new MallocLibrary(
          "tcmalloc", List.of("libtcmalloc_minimal.so.4"), "libtcmalloc-minimal4", "tc_");

  private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

  /** Without a heap segment among the arguments: addresses are numbers here. */
  private static final Linker.Option CRITICAL =
      Linker.Option.critical(/* allowHeapAccess= */ false);

  /**
   * The library's functions; sizes and addresses are {@code long}s.
   *
   * @param malloc takes a size, returns an address or 0
   * @param free takes an address
   * @param realloc takes an address and a size, returns an address or 0
   */
  public record Functions(MethodHandle malloc, MethodHandle free, MethodHandle realloc) {}

  /**
   * Loads the library for good.
   *
   * @throws ContenderMissingException if this machine does not have it
   */
  public Functions load() throws ContenderMissingException {
    Linker linker = Linker.nativeLinker();
    SymbolLookup symbols = files.isEmpty() ? linker.defaultLookup() : open();
    return new Functions(
        linker.downcallHandle(
            symbols.findOrThrow(prefix + "malloc"), FunctionDescriptor.of(WORD, WORD), CRITICAL),
        linker.downcallHandle(
            symbols.findOrThrow(prefix + "free"), FunctionDescriptor.ofVoid(WORD), CRITICAL),
        linker.downcallHandle(
            symbols.findOrThrow(prefix + "realloc"), FunctionDescriptor.of(WORD, WORD, WORD)));
  }

  private SymbolLookup open() throws ContenderMissingException {
    for (String file : files) {
      try {
        return SymbolLookup.libraryLookup(file, Arena.global());
      } catch (IllegalArgumentException notLoadable) {
        // Perhaps the next one.
      }
    }
    throw new ContenderMissingException(
        "%s is not here: no %s could be loaded (Debian: apt install %s)"
            .formatted(title, String.join(" or ", files), debianPackage));
  }
}
