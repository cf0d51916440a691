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
 * @param title what people call it
 * @param files what it may be called on this machine, the preferred first; none for the C library
 * @param debianPackage where Debian has it
 * @param mallocName its function that allocates
 * @param freeName its function that releases
 */
@SuppressWarnings("restricted") // foreign calls are what this class is for
record MallocLibrary(
    String title, List<String> files, String debianPackage, String mallocName, String freeName) {
  static final MallocLibrary GLIBC =
      new MallocLibrary("the C library", List.of(), "libc6", "malloc", "free");

  static final MallocLibrary MIMALLOC =
      new MallocLibrary(
          "mimalloc",
          List.of("libmimalloc.so.3", "libmimalloc.so.2"),
          "libmimalloc2.0 or libmimalloc3",
          "mi_malloc",
          "mi_free");

  static final MallocLibrary JEMALLOC =
      new MallocLibrary("jemalloc", List.of("libjemalloc.so.2"), "libjemalloc2", "malloc", "free");

  /** That of gperftools, without its profilers. */
  static final MallocLibrary TCMALLOC =
      new MallocLibrary(
          "tcmalloc",
          List.of("libtcmalloc_minimal.so.4"),
          "libtcmalloc-minimal4",
          "tc_malloc",
          "tc_free");

  /**
   * The library's two functions.
   *
   * @param malloc takes a size, returns an address or 0
   * @param free takes an address
   */
  record Functions(MethodHandle malloc, MethodHandle free) {}

  /**
   * Loads the library for good.
   *
   * @throws ContenderMissingException if this machine does not have it
   */
  Functions load() throws ContenderMissingException {
    Linker linker = Linker.nativeLinker();
    SymbolLookup symbols = files.isEmpty() ? linker.defaultLookup() : open();
    return new Functions(
        linker.downcallHandle(
            symbols.findOrThrow(mallocName),
            FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG)),
        linker.downcallHandle(
            symbols.findOrThrow(freeName), FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG)));
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
