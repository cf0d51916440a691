package dev.weir.compression.zstd;

import com.github.luben.zstd.EndDirective;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdException;
import dev.weir.compression.codec.CodecException;
import dev.weir.compression.codec.Step;
import dev.weir.compression.context.ContextMemory;
import dev.weir.compression.context.EncoderContext;
import dev.weir.compression.context.LibraryMemory;
import io.netty.buffer.ByteBuf;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/** Compresses with a context of zstd-jni, which is closed like any other resource. */
final class JniZstdEncoder implements EncoderContext {
  private final ZstdProfile profile;
  private final ZstdCompressCtx context;
  private final long bytes;
  private final Cleaner.Cleanable release;
  private final JniZstdBuffers buffers = new JniZstdBuffers();

  /** Whether a stream has begun and not come to its end. */
  private boolean unfinished;

  /** The length of a stream that has begun, until the library is told. */
  private long untoldBytes = UNKNOWN_LENGTH;

  private JniZstdEncoder(ZstdProfile profile, LibraryMemory<ZstdCompressCtx> memory) {
    this.profile = profile;
    this.context = memory.handle();
    this.bytes = memory.bytes();
    configure(context, profile);
    this.release = memory.releaseWith(this);
  }

  static @Nullable JniZstdEncoder tryCreate(ZstdProfile profile, ContextMemory memory) {
    try {
      return LibraryMemory.tryMake(
          memory,
          JniZstdSizes.encoderBytes(profile),
          ZstdCompressCtx::new,
          ZstdCompressCtx::close,
          taken -> new JniZstdEncoder(profile, taken));
    } catch (ZstdException e) {
      throw new CodecException("zstd-jni", e);
    }
  }

  /** A dictionary is given as bytes: the library's own object for one has a finalizer. */
  private static void configure(ZstdCompressCtx context, ZstdProfile profile) {
    context.setLevel(profile.level());
    if (profile.source() == SourceBound.NARROW) {
      context.setWindowLog(SourceBound.NARROW_WINDOW_LOG);
    }
    if (profile.dictionary() != null) {
      context.loadDict(profile.dictionary().content());
    }
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public void begin(long sourceBytes) {
    try {
      if (unfinished) {
        // Forgets the settings with the stream.
        context.reset();
        configure(context, profile);
      }
      unfinished = true;
      untoldBytes = sourceBytes;
    } catch (ZstdException e) {
      throw new CodecException("zstd-jni", e);
    }
  }

  @Override
  public boolean encode(ByteBuf source, ByteBuf target, Step step) {
    try {
      if (untoldBytes != UNKNOWN_LENGTH) {
        tell(source.readableBytes(), step);
      }
      buffers.show(source, target);
      boolean done =
          context.compressDirectByteBufferStream(
              buffers.target(), buffers.source(), directive(step));
      buffers.advance(source, target);
      boolean stepDone = !source.isReadable() && (step == Step.TAKE || done);
      unfinished = !(stepDone && step == Step.END);
      return stepDone;
    } catch (ZstdException e) {
      throw new CodecException("zstd-jni", e);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  /** Of a stream that comes whole the library knows the length by itself; two calls for nothing. */
  private void tell(int sourceBytes, Step step) {
    if (step != Step.END || sourceBytes != untoldBytes) {
      context.setPledgedSrcSize(untoldBytes);
    }
    untoldBytes = UNKNOWN_LENGTH;
  }

  private static EndDirective directive(Step step) {
    return switch (step) {
      case TAKE -> EndDirective.CONTINUE;
      case FLUSH -> EndDirective.FLUSH;
      case END -> EndDirective.END;
    };
  }

  @Override
  public void destroy() {
    release.clean();
  }
}
