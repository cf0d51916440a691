package dev.weir.compression.zstd;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import dev.weir.compression.codec.CodecException;
import dev.weir.compression.codec.CorruptInputException;
import dev.weir.compression.context.ContextMemory;
import dev.weir.compression.context.LibraryMemory;
import io.netty.buffer.ByteBuf;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/** Decompresses with a context of zstd-jni, which is closed like any other resource. */
final class JniZstdDecoder implements ZstdDecoderContext {
  private final ZstdDecoderProfile profile;
  private final ZstdDecompressCtx context;
  private final long bytes;
  private final Cleaner.Cleanable release;
  private final JniZstdBuffers buffers = new JniZstdBuffers();

  /** Whether a frame has begun and not come to its end. */
  private boolean unfinished;

  private JniZstdDecoder(ZstdDecoderProfile profile, LibraryMemory<ZstdDecompressCtx> memory) {
    this.profile = profile;
    this.context = memory.handle();
    this.bytes = memory.bytes();
    configure(context, profile);
    this.release = memory.releaseWith(this);
  }

  static @Nullable JniZstdDecoder tryCreate(ZstdDecoderProfile profile, ContextMemory memory) {
    try {
      return LibraryMemory.tryMake(
          memory,
          JniZstdSizes.decoderBytes(profile),
          ZstdDecompressCtx::new,
          ZstdDecompressCtx::close,
          taken -> new JniZstdDecoder(profile, taken));
    } catch (ZstdException e) {
      throw new CodecException("zstd-jni", e);
    }
  }

  /** A dictionary is given as bytes: the library's own object for one has a finalizer. */
  private static void configure(ZstdDecompressCtx context, ZstdDecoderProfile profile) {
    if (profile.dictionary() != null) {
      context.loadDict(profile.dictionary().content());
    }
  }

  @Override
  public ZstdDecoderProfile profile() {
    return profile;
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public void begin() {
    if (unfinished) {
      try {
        // Forgets the dictionary with the frame.
        context.reset();
        configure(context, profile);
      } catch (ZstdException e) {
        throw new CodecException("zstd-jni", e);
      }
    }
    unfinished = true;
  }

  @Override
  public boolean decode(ByteBuf source, ByteBuf target) {
    try {
      buffers.show(source, target);
      boolean ended = context.decompressDirectByteBufferStream(buffers.target(), buffers.source());
      buffers.advance(source, target);
      unfinished = !ended;
      return ended;
    } catch (ZstdException e) {
      if (e.getErrorCode() == Zstd.errMemoryAllocation()) {
        throw new CodecException("zstd-jni", e);
      }
      throw new CorruptInputException("zstd: " + e.getMessage(), e);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public void destroy() {
    release.clean();
  }
}
