package dev.weir.compression.zstd;

import dev.weir.compression.codec.CodecException;
import dev.weir.compression.codec.DirectBuffers;
import dev.weir.compression.codec.Step;
import dev.weir.compression.context.ContextMemory;
import dev.weir.compression.context.EncoderContext;
import dev.weir.compression.context.LastResort;
import dev.weir.memory.heap.Block;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/** Compresses in a block of the pool, which holds all that the library writes to. */
final class SystemZstdEncoder implements EncoderContext {
  private final MemorySegment positions;
  private final long positionsAddress;
  private final long encoder;
  private final long bytes;
  private final Cleaner.Cleanable release;

  private SystemZstdEncoder(
      SystemZstdMemory memory, long encoder, @Nullable SystemZstdDictionary dictionary) {
    this.positions = memory.positions();
    this.positionsAddress = memory.positionsAddress();
    this.encoder = encoder;
    Block block = memory.block();
    this.bytes = block.size() + (dictionary == null ? 0 : dictionary.bytes());
    this.release =
        LastResort.register(
            this,
            () -> {
              if (dictionary != null) {
                dictionary.close();
              }
              block.release();
            });
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
        if (dictionary != null) {
          dictionary.close();
        }
        space.block().release();
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
      positions.set(ValueLayout.JAVA_LONG, 0, 0);
      positions.set(ValueLayout.JAVA_LONG, Long.BYTES, 0);
      long left =
          ZstdCalls.encode(
              encoder,
              SystemZstdMemory.addressOf(DirectBuffers.require(target)) + target.writerIndex(),
              target.writableBytes(),
              SystemZstdMemory.addressOf(DirectBuffers.require(source)) + source.readerIndex(),
              source.readableBytes(),
              positionsAddress,
              directive(step));
      target.writerIndex(target.writerIndex() + (int) positions.get(ValueLayout.JAVA_LONG, 0));
      source.skipBytes((int) positions.get(ValueLayout.JAVA_LONG, Long.BYTES));
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
