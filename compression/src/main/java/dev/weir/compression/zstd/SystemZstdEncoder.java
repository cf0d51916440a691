package dev.weir.compression.zstd;

import dev.weir.compression.codec.CodecException;
import dev.weir.compression.codec.DirectBuffers;
import dev.weir.compression.codec.Step;
import dev.weir.compression.context.ContextMemory;
import dev.weir.compression.context.EncoderContext;
import io.netty.buffer.ByteBuf;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/** Compresses in a block of the pool, which holds all that the library writes to. */
final class SystemZstdEncoder implements EncoderContext {
  private final SystemZstdMemory memory;
  private final long encoder;
  private final long bytes;
  private final Cleaner.Cleanable release;

  private SystemZstdEncoder(
      SystemZstdMemory memory, long encoder, @Nullable SystemZstdDictionary dictionary) {
    this.memory = memory;
    this.encoder = encoder;
    this.bytes = memory.bytesWith(dictionary);
    this.release = memory.releaseWith(this, dictionary);
  }

  static @Nullable SystemZstdEncoder tryCreate(
      ZstdProfile profile, long workspaceBytes, ContextMemory memory) {
    SystemZstdMemory space = SystemZstdMemory.tryAllocate(workspaceBytes, memory);
    if (space == null) {
      return null;
    }
    SystemZstdDictionary dictionary = null;
    boolean made = false;
    try {
      long encoder =
          ZstdCalls.call(
              ZstdFunction.INIT_STATIC_ENCODER, space.workspaceAddress(), space.workspaceBytes());
      if (encoder == 0) {
        throw new CodecException("ZSTD_initStaticCStream in " + workspaceBytes + " bytes");
      }
      ZstdCalls.initParameters(encoder);
      ZstdCalls.setEncoder(encoder, ZstdCalls.LEVEL, profile.level());
      if (profile.source() == SourceBound.NARROW) {
        ZstdCalls.setEncoder(encoder, ZstdCalls.WINDOW_LOG, SourceBound.NARROW_WINDOW_LOG);
      }
      if (profile.dictionary() != null) {
        dictionary =
            SystemZstdDictionary.tryForEncoder(profile.dictionary(), profile.level(), memory);
        if (dictionary == null) {
          return null;
        }
        dictionary.use(ZstdFunction.USE_ENCODER_DICTIONARY, encoder);
      }
      SystemZstdEncoder context = new SystemZstdEncoder(space, encoder, dictionary);
      made = true;
      return context;
    } finally {
      if (!made) {
        space.release(dictionary);
      }
    }
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public void begin(long sourceBytes) {
    try {
      ZstdCalls.resetEncoder(encoder);
      if (sourceBytes != UNKNOWN_LENGTH) {
        ZstdCalls.setSourceBytes(encoder, sourceBytes);
      }
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public boolean encode(ByteBuf source, ByteBuf target, Step step) {
    try {
      long left =
          ZstdCalls.encode(
              encoder,
              SystemZstdMemory.addressOf(DirectBuffers.require(target)) + target.writerIndex(),
              target.writableBytes(),
              SystemZstdMemory.addressOf(DirectBuffers.require(source)) + source.readerIndex(),
              source.readableBytes(),
              memory.resetPositions(),
              directive(step));
      memory.advance(source, target);
      return !source.isReadable() && (step == Step.TAKE || left == 0);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  private static int directive(Step step) {
    return switch (step) {
      case TAKE -> ZstdCalls.CONTINUE;
      case FLUSH -> ZstdCalls.FLUSH;
      case END -> ZstdCalls.END;
    };
  }

  @Override
  public void destroy() {
    release.clean();
  }
}
