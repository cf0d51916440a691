package dev.weir.compression.zstd;

import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The system's {@code libzstd}, if it has one; loaded for as long as the process lives. */
@SuppressWarnings("restricted") // loading it is what this is for
final class SystemLibrary {
  /** By the names under which Linux and macOS install the library that programs need to run. */
  private static final List<String> NAMES = List.of("libzstd.so.1", "libzstd.1.dylib");

  private static final System.Logger LOG = System.getLogger(SystemZstd.class.getPackageName());

  static final Optional<SymbolLookup> FOUND = find();

  private SystemLibrary() {}

  private static Optional<SymbolLookup> find() {
    return NAMES.stream().flatMap(SystemLibrary::open).filter(SystemLibrary::hasAll).findFirst();
  }

  private static boolean hasAll(SymbolLookup library) {
    for (ZstdFunction function : ZstdFunction.values()) {
      if (!function.isIn(library)) {
        LOG.log(Level.INFO, "the system''s libzstd has no {0}; zstd-jni is used", function);
        return false;
      }
    }
    return true;
  }

  private static Stream<SymbolLookup> open(String name) {
    try {
      return Stream.of(SymbolLookup.libraryLookup(name, Arena.global()));
    } catch (IllegalArgumentException
        | IllegalCallerException
        | UnsupportedOperationException none) {
      // Not installed, native access is not enabled for this module, or no linker here.
      return Stream.empty();
    }
  }
}
