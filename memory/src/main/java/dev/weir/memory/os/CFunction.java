package dev.weir.memory.os;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * Every function of the C library that Weir calls, with its type. All of them in one place, because
 * a native image must be told of each: the module's {@code reachability-metadata.json} lists them.
 *
 * <p>Addresses are passed as {@code long}.
 */
@SuppressWarnings("restricted") // foreign calls are what this package is for
enum CFunction {
  MMAP(
      "mmap",
      /* capturesErrno= */ true,
      CFunction.NOT_VARIADIC,
      JAVA_LONG,
      JAVA_LONG,
      JAVA_LONG,
      JAVA_INT,
      JAVA_INT,
      JAVA_INT,
      JAVA_LONG),

  /**
   * Without the error: to capture it takes Java heap, of which there may be none where a move or a
   * pool has to end.
   */
  MMAP_ONLY(
      "mmap",
      false,
      CFunction.NOT_VARIADIC,
      JAVA_LONG,
      JAVA_LONG,
      JAVA_LONG,
      JAVA_INT,
      JAVA_INT,
      JAVA_INT,
      JAVA_LONG),
  MPROTECT("mprotect", true, CFunction.NOT_VARIADIC, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT),
  MADVISE("madvise", true, CFunction.NOT_VARIADIC, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT),

  /** Without the error, which takes memory of its own to capture: a quarter of a short purge. */
  MADVISE_ONLY("madvise", false, CFunction.NOT_VARIADIC, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT),

  /** As {@link #MMAP_ONLY}. */
  MREMAP_ONLY("mremap", false, 4, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG),
  MUNMAP("munmap", true, CFunction.NOT_VARIADIC, JAVA_INT, JAVA_LONG, JAVA_LONG),

  /** As {@link #MMAP_ONLY}. */
  MUNMAP_ONLY("munmap", false, CFunction.NOT_VARIADIC, JAVA_INT, JAVA_LONG, JAVA_LONG),
  SYSCONF("sysconf", false, CFunction.NOT_VARIADIC, JAVA_LONG, JAVA_INT),

  /** A system call by its number, with three arguments. */
  SYSCALL_3("syscall", false, 1, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),

  /** A system call by its number, with five arguments. */
  SYSCALL_5(
      "syscall", false, 1, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
      JAVA_LONG),
  MALLOC("malloc", false, CFunction.NOT_VARIADIC, JAVA_LONG, JAVA_LONG),
  FREE("free", false, CFunction.NOT_VARIADIC, FunctionDescriptor.ofVoid(JAVA_LONG));

  static final int NOT_VARIADIC = -1;

  private final String symbol;
  private final boolean capturesErrno;
  private final int firstVariadicArg;

  @SuppressWarnings("ImmutableEnumChecker") // function descriptors are immutable
  private final FunctionDescriptor type;

  CFunction(
      String symbol,
      boolean capturesErrno,
      int firstVariadicArg,
      MemoryLayout result,
      MemoryLayout... parameters) {
    this(symbol, capturesErrno, firstVariadicArg, FunctionDescriptor.of(result, parameters));
  }

  CFunction(String symbol, boolean capturesErrno, int firstVariadicArg, FunctionDescriptor type) {
    this.symbol = symbol;
    this.capturesErrno = capturesErrno;
    this.firstVariadicArg = firstVariadicArg;
    this.type = type;
  }

  /** Whether it takes a segment for {@code errno} before its arguments. */
  boolean capturesErrno() {
    return capturesErrno;
  }

  /** The position of its first variadic argument, or {@link #NOT_VARIADIC}. */
  int firstVariadicArg() {
    return firstVariadicArg;
  }

  FunctionDescriptor type() {
    return type;
  }

  /**
   * A handle that calls it.
   *
   * @throws java.util.NoSuchElementException where the C library does not have it
   */
  MethodHandle link() {
    List<Linker.Option> options = new ArrayList<>();
    if (capturesErrno) {
      options.add(Linker.Option.captureCallState("errno"));
    }
    if (firstVariadicArg != NOT_VARIADIC) {
      options.add(Linker.Option.firstVariadicArg(firstVariadicArg));
    }
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow(symbol), type, options.toArray(Linker.Option[]::new));
  }
}
