package dev.weir.benchmarks.compression;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.github.luben.zstd.EndDirective;
import com.github.luben.zstd.ZstdCompressCtx;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;

/** One context of a library as it comes, that makes one streaming frame after another. */
interface BareZstd {
  /**
   * Compresses a content into one frame, which nobody keeps.
   *
   * @return how long it is
   */
  long frame(ByteBuffer content, ByteBuffer target);

  /** The context of zstd-jni. */
  static BareZstd jni(int level) {
    ZstdCompressCtx context = new ZstdCompressCtx();
    context.setLevel(level);
    return (content, target) -> {
      long bytes = 0;
      content.rewind();
      boolean done;
      do {
        target.clear();
        done = context.compressDirectByteBufferStream(target, content, EndDirective.END);
        bytes += target.position();
      } while (!done);
      return bytes;
    };
  }

  /** A context of the system's library, in its own memory. */
  @SuppressWarnings("restricted") // it is what is measured
  static BareZstd system(int level) {
    SymbolLookup library = SymbolLookup.libraryLookup("libzstd.so.1", Arena.global());
    Linker linker = Linker.nativeLinker();
    MethodHandle compress =
        linker.downcallHandle(
            library.findOrThrow("ZSTD_compressStream2_simpleArgs"),
            FunctionDescriptor.of(
                JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
                JAVA_LONG, JAVA_INT));
    MethodHandle create =
        linker.downcallHandle(
            library.findOrThrow("ZSTD_createCCtx"), FunctionDescriptor.of(JAVA_LONG));
    MethodHandle set =
        linker.downcallHandle(
            library.findOrThrow("ZSTD_CCtx_setParameter"),
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT));
    MemorySegment positions = Arena.global().allocate(2 * Long.BYTES, Long.BYTES);
    long context = (long) call(create);
    call(set, context, 100, level);
    return (content, target) -> {
      long from = MemorySegment.ofBuffer(content).address();
      long to = MemorySegment.ofBuffer(target).address();
      long bytes = 0;
      long left;
      positions.set(JAVA_LONG, Long.BYTES, 0);
      try {
        do {
          positions.set(JAVA_LONG, 0, 0);
          left =
              (long)
                  compress.invokeExact(
                      context,
                      to,
                      (long) target.capacity(),
                      positions.address(),
                      from,
                      (long) content.capacity(),
                      positions.address() + Long.BYTES,
                      2);
          bytes += positions.get(JAVA_LONG, 0);
        } while (left != 0);
      } catch (Throwable e) {
        throw new IllegalStateException(e);
      }
      return bytes;
    };
  }

  private static Object call(MethodHandle handle, Object... arguments) {
    try {
      return handle.invokeWithArguments(arguments);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
