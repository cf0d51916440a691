package dev.weir.compression.zstd;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

/**
 * Every function of the system's zstd that Weir calls, with its type. All of them in one place,
 * because a native image must be told of each: the module's {@code reachability-metadata.json}
 * lists them. Addresses are passed as {@code long}.
 *
 * <p>Those that begin with {@code INIT_STATIC} and {@code ESTIMATE} belong to the part of the
 * library's interface that may change; they have not since 1.4.0, and {@link SystemZstd} tries them
 * before it relies on them.
 */
@SuppressWarnings("restricted") // foreign calls are what this is for
enum ZstdFunction {
  VERSION_NUMBER("ZSTD_versionNumber", JAVA_INT),
  GET_ERROR_NAME("ZSTD_getErrorName", JAVA_LONG, JAVA_LONG),

  CREATE_PARAMS("ZSTD_createCCtxParams", JAVA_LONG),
  FREE_PARAMS("ZSTD_freeCCtxParams", JAVA_LONG, JAVA_LONG),
  INIT_PARAMS("ZSTD_CCtxParams_init", JAVA_LONG, JAVA_LONG, JAVA_INT),
  SET_PARAMS("ZSTD_CCtxParams_setParameter", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT),

  ESTIMATE_ENCODER("ZSTD_estimateCStreamSize_usingCCtxParams", JAVA_LONG, JAVA_LONG),
  ESTIMATE_DECODER("ZSTD_estimateDStreamSize", JAVA_LONG, JAVA_LONG),
  ESTIMATE_ENCODER_DICTIONARY("ZSTD_estimateCDictSize", JAVA_LONG, JAVA_LONG, JAVA_INT),
  ESTIMATE_DECODER_DICTIONARY("ZSTD_estimateDDictSize", JAVA_LONG, JAVA_LONG, JAVA_INT),
  INIT_STATIC_ENCODER("ZSTD_initStaticCStream", JAVA_LONG, JAVA_LONG, JAVA_LONG),
  INIT_STATIC_DECODER("ZSTD_initStaticDStream", JAVA_LONG, JAVA_LONG, JAVA_LONG),

  SET_ENCODER("ZSTD_CCtx_setParameter", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT),
  SET_SOURCE_BYTES("ZSTD_CCtx_setPledgedSrcSize", JAVA_LONG, JAVA_LONG, JAVA_LONG),
  RESET_ENCODER("ZSTD_CCtx_reset", JAVA_LONG, JAVA_LONG, JAVA_INT),
  ENCODE(
      "ZSTD_compressStream2_simpleArgs",
      JAVA_LONG,
      JAVA_LONG,
      JAVA_LONG,
      JAVA_LONG,
      JAVA_LONG,
      JAVA_LONG,
      JAVA_LONG,
      JAVA_LONG,
      JAVA_INT),
  CREATE_ENCODER_DICTIONARY(
      "ZSTD_createCDict_byReference", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT),
  FREE_ENCODER_DICTIONARY("ZSTD_freeCDict", JAVA_LONG, JAVA_LONG),
  USE_ENCODER_DICTIONARY("ZSTD_CCtx_refCDict", JAVA_LONG, JAVA_LONG, JAVA_LONG),

  RESET_DECODER("ZSTD_DCtx_reset", JAVA_LONG, JAVA_LONG, JAVA_INT),
  DECODE(
      "ZSTD_decompressStream_simpleArgs",
      JAVA_LONG,
      JAVA_LONG,
      JAVA_LONG,
      JAVA_LONG,
      JAVA_LONG,
      JAVA_LONG,
      JAVA_LONG,
      JAVA_LONG),
  CREATE_DECODER_DICTIONARY("ZSTD_createDDict_byReference", JAVA_LONG, JAVA_LONG, JAVA_LONG),
  FREE_DECODER_DICTIONARY("ZSTD_freeDDict", JAVA_LONG, JAVA_LONG),
  USE_DECODER_DICTIONARY("ZSTD_DCtx_refDDict", JAVA_LONG, JAVA_LONG, JAVA_LONG);

  private final String symbol;

  @SuppressWarnings("ImmutableEnumChecker") // function descriptors are immutable
  private final FunctionDescriptor type;

  ZstdFunction(String symbol, MemoryLayout result, MemoryLayout... parameters) {
    this.symbol = symbol;
    this.type = FunctionDescriptor.of(result, parameters);
  }

  FunctionDescriptor type() {
    return type;
  }

  @Override
  public String toString() {
    return symbol;
  }

  /** Whether a library has it. */
  boolean isIn(SymbolLookup library) {
    return library.find(symbol).isPresent();
  }

  /** A handle that calls it, for as long as the library is loaded. */
  MethodHandle link(SymbolLookup library) {
    return Linker.nativeLinker().downcallHandle(library.findOrThrow(symbol), type);
  }
}
