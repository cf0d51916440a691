package dev.weir.compression.zstd;

import dev.weir.compression.codec.CodecException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The system's library, call by call. To be touched only where {@link SystemLibrary#FOUND} is
 * there. Negative results are errors.
 */
final class ZstdCalls {
  /** What {@code ZSTD_e_continue}, {@code ZSTD_e_flush} and {@code ZSTD_e_end} are. */
  static final int CONTINUE = 0;

  static final int FLUSH = 1;
  static final int END = 2;

  static final int LEVEL = 100;
  static final int WINDOW_LOG = 101;

  /** How long the source will probably be: what a context is sized by. */
  static final int SOURCE_BYTES_HINT = 1004;

  private static final int RESET_SESSION = 1;
  private static final int RESET_SESSION_AND_PARAMETERS = 3;
  private static final int MEMORY_ALLOCATION = -64;
  private static final long MAX_NAME_BYTES = 256;

  private static final MethodHandle VERSION_NUMBER = link(ZstdFunction.VERSION_NUMBER);
  private static final MethodHandle GET_ERROR_NAME = link(ZstdFunction.GET_ERROR_NAME);
  private static final MethodHandle SET_ENCODER = link(ZstdFunction.SET_ENCODER);
  private static final MethodHandle SET_SOURCE_BYTES = link(ZstdFunction.SET_SOURCE_BYTES);
  private static final MethodHandle RESET_ENCODER = link(ZstdFunction.RESET_ENCODER);
  private static final MethodHandle ENCODE = link(ZstdFunction.ENCODE);
  private static final MethodHandle RESET_DECODER = link(ZstdFunction.RESET_DECODER);
  private static final MethodHandle DECODE = link(ZstdFunction.DECODE);
  private static final MethodHandle CREATE_ENCODER_DICTIONARY =
      link(ZstdFunction.CREATE_ENCODER_DICTIONARY);
  private static final MethodHandle CREATE_DECODER_DICTIONARY =
      link(ZstdFunction.CREATE_DECODER_DICTIONARY);
  private static final MethodHandle FREE_ENCODER_DICTIONARY =
      link(ZstdFunction.FREE_ENCODER_DICTIONARY);
  private static final MethodHandle FREE_DECODER_DICTIONARY =
      link(ZstdFunction.FREE_DECODER_DICTIONARY);

  private ZstdCalls() {}

  private static MethodHandle link(ZstdFunction function) {
    return function.link(SystemLibrary.FOUND.orElseThrow());
  }

  static int versionNumber() {
    try {
      return (int) VERSION_NUMBER.invokeExact();
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  static void setEncoder(long encoder, int parameter, int value) {
    try {
      require("ZSTD_CCtx_setParameter", (long) SET_ENCODER.invokeExact(encoder, parameter, value));
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  static void setSourceBytes(long encoder, long bytes) {
    try {
      require("ZSTD_CCtx_setPledgedSrcSize", (long) SET_SOURCE_BYTES.invokeExact(encoder, bytes));
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  static void resetEncoder(long encoder) {
    resetEncoder(encoder, RESET_SESSION);
  }

  /** Gives parameters their defaults, which those of a context in memory of ours do not have. */
  static void initParameters(long encoder) {
    resetEncoder(encoder, RESET_SESSION_AND_PARAMETERS);
  }

  private static void resetEncoder(long encoder, int what) {
    try {
      require("ZSTD_CCtx_reset", (long) RESET_ENCODER.invokeExact(encoder, what));
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  /**
   * Compresses.
   *
   * @param positions the address of two words, where the library goes on from: how much of the
   *     target has been written, and how much of the source has been read
   * @return how many bytes are left to be written, for a flush and for the end
   */
  static long encode(
      long encoder,
      long target,
      long targetBytes,
      long source,
      long sourceBytes,
      long positions,
      int directive) {
    try {
      return require(
          "ZSTD_compressStream2",
          (long)
              ENCODE.invokeExact(
                  encoder,
                  target,
                  targetBytes,
                  positions,
                  source,
                  sourceBytes,
                  positions + Long.BYTES,
                  directive));
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  static void resetDecoder(long decoder) {
    try {
      require("ZSTD_DCtx_reset", (long) RESET_DECODER.invokeExact(decoder, RESET_SESSION));
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  /** Decompresses; arguments as {@link #encode}. Returns 0 at the end of a frame, or an error. */
  static long decode(
      long decoder, long target, long targetBytes, long source, long sourceBytes, long positions) {
    try {
      return (long)
          DECODE.invokeExact(
              decoder, target, targetBytes, positions, source, sourceBytes, positions + Long.BYTES);
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  /**
   * Makes the tables of a dictionary's content, which stays where it is.
   *
   * @return their address, or 0
   */
  static long createEncoderDictionary(long content, long bytes, int level) {
    try {
      return (long) CREATE_ENCODER_DICTIONARY.invokeExact(content, bytes, level);
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  /** The same of what decompresses. */
  static long createDecoderDictionary(long content, long bytes) {
    try {
      return (long) CREATE_DECODER_DICTIONARY.invokeExact(content, bytes);
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  /** Gives tables back. */
  static void freeEncoderDictionary(long dictionary) {
    try {
      require("ZSTD_freeCDict", (long) FREE_ENCODER_DICTIONARY.invokeExact(dictionary));
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  /** The same of what decompresses. */
  static void freeDecoderDictionary(long dictionary) {
    try {
      require("ZSTD_freeDDict", (long) FREE_DECODER_DICTIONARY.invokeExact(dictionary));
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  /** Calls a function that is not called often: without a handle that the compiler knows. */
  static long call(ZstdFunction function, Object... arguments) {
    try {
      return (long) link(function).invokeWithArguments(arguments);
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  static long require(String call, long result) {
    if (result < 0) {
      throw new CodecException(call + ": " + errorName(result));
    }
    return result;
  }

  /** Whether an error is not the input's: a context that is too small. */
  static boolean isOutOfMemory(long error) {
    return error == MEMORY_ALLOCATION;
  }

  @SuppressWarnings("restricted") // a C string of the library's own
  static String errorName(long error) {
    try {
      long name = (long) GET_ERROR_NAME.invokeExact(error);
      return MemorySegment.ofAddress(name).reinterpret(MAX_NAME_BYTES).getString(0);
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  private static RuntimeException rethrow(Throwable failure) {
    if (failure instanceof Error error) {
      throw error;
    }
    return failure instanceof RuntimeException known ? known : new CodecException("zstd", failure);
  }
}
