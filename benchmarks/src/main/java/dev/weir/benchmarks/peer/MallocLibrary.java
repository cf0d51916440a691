package dev.weir.benchmarks.peer;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.Optional;

/** A C library with an allocator. */
enum MallocLibrary {
  /** The one this JVM itself runs on. */
  GLIBC(""),
  /** Debian's package {@code libmimalloc2.0}. */
  MIMALLOC("mi_", "libmimalloc.so.3", "libmimalloc.so.2", "libmimalloc.so.2.0"),
  /** Debian's package {@code libjemalloc2}. */
  JEMALLOC("", "libjemalloc.so.2");

  private static final Linker LINKER = Linker.nativeLinker();
  private static final ValueLayout.OfLong SIZE = ValueLayout.JAVA_LONG;
  private static final ValueLayout.OfLong POINTER = ValueLayout.JAVA_LONG;

  private final String prefix;

  @SuppressWarnings("ImmutableEnumChecker") // An unmodifiable list.
  private final List<String> files;

  MallocLibrary(String prefix, String... files) {
    this.prefix = prefix;
    this.files = List.of(files);
  }

  /** Whether this machine has it. */
  boolean isInstalled() {
    return symbols().flatMap(symbols -> symbols.find(prefix + "malloc")).isPresent();
  }

  /** {@code void *malloc(size_t)}, its pointer as a {@code long}. */
  MethodHandle malloc() {
    return function("malloc", FunctionDescriptor.of(POINTER, SIZE));
  }

  /** {@code void free(void *)}. */
  MethodHandle free() {
    return function("free", FunctionDescriptor.ofVoid(POINTER));
  }

  /** {@code void *realloc(void *, size_t)}. */
  MethodHandle realloc() {
    return function("realloc", FunctionDescriptor.of(POINTER, POINTER, SIZE));
  }

  @SuppressWarnings("restricted") // The signatures are those of the C standard.
  private MethodHandle function(String name, FunctionDescriptor type) {
    MemorySegment address = symbols().orElseThrow().find(prefix + name).orElseThrow();
    return LINKER.downcallHandle(address, type);
  }

  @SuppressWarnings("restricted") // The library runs no code of ours.
  private Optional<SymbolLookup> symbols() {
    if (files.isEmpty()) {
      return Optional.of(LINKER.defaultLookup());
    }
    for (String file : files) {
      try {
        return Optional.of(SymbolLookup.libraryLookup(file, Arena.global()));
      } catch (IllegalArgumentException absent) {
        // The next name may be there.
      }
    }
    return Optional.empty();
  }
}
