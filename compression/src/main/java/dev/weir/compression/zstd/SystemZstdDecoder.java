package dev.weir.compression.zstd;

import dev.weir.compression.codec.CodecException;
import dev.weir.compression.codec.CorruptInputException;
import dev.weir.compression.codec.DirectBuffers;
import dev.weir.compression.context.ContextMemory;
import dev.weir.compression.context.LastResort;
import dev.weir.memory.heap.Block;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/** Decompresses in a block of the pool, which holds all that the library writes to. */
final class SystemZstdDecoder implements ZstdDecoderContext {
  private final ZstdDecoderProfile profile;
  private final MemorySegment positions;
  private final long positionsAddress;
  private final long decoder;
  private final long bytes;
  private final Cleaner.Cleanable release;

  private SystemZstdDecoder(
      ZstdDecoderProfile profile,
      SystemZstdMemory memory,
      long decoder,
      @Nullable SystemZstdDictionary dictionary) {
    this.profile = profile;
    this.positions = memory.positions();
    this.positionsAddress = memory.positionsAddress();
    this.decoder = decoder;
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

  static @Nullable SystemZstdDecoder tryCreate(ZstdDecoderProfile profile, ContextMemory memory) {
    long workspaceBytes = ZstdCalls.call(ZstdFunction.ESTIMATE_DECODER, profile.windowBytes());
    SystemZstdMemory space = SystemZstdMemory.tryAllocate(workspaceBytes, memory);
    if (space == null) {
      return null;
    }
    SystemZstdDictionary dictionary = null;
    boolean made = false;
    try {
      long decoder =
          ZstdCalls.call(
              ZstdFunction.INIT_STATIC_DECODER, space.workspaceAddress(), space.workspaceBytes());
      if (decoder == 0) {
        throw new CodecException("ZSTD_initStaticDStream in " + workspaceBytes + " bytes");
      }
      if (profile.dictionary() != null) {
        dictionary = SystemZstdDictionary.tryForDecoder(profile.dictionary(), memory);
        if (dictionary == null) {
          return null;
        }
        dictionary.use(ZstdFunction.USE_DECODER_DICTIONARY, decoder);
      }
      SystemZstdDecoder context = new SystemZstdDecoder(profile, space, decoder, dictionary);
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
  public ZstdDecoderProfile profile() {
    return profile;
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public void begin() {
    try {
      ZstdCalls.resetDecoder(decoder);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public boolean decode(ByteBuf source, ByteBuf target) {
    try {
      positions.set(ValueLayout.JAVA_LONG, 0, 0);
      positions.set(ValueLayout.JAVA_LONG, Long.BYTES, 0);
      long result =
          ZstdCalls.decode(
              decoder,
              SystemZstdMemory.addressOf(DirectBuffers.require(target)) + target.writerIndex(),
              target.writableBytes(),
              SystemZstdMemory.addressOf(DirectBuffers.require(source)) + source.readerIndex(),
              source.readableBytes(),
              positionsAddress);
      if (result < 0) {
        String message = "zstd: " + ZstdCalls.errorName(result);
        throw ZstdCalls.isOutOfMemory(result)
            ? new CodecException(message)
            : new CorruptInputException(message);
      }
      target.writerIndex(target.writerIndex() + (int) positions.get(ValueLayout.JAVA_LONG, 0));
      source.skipBytes((int) positions.get(ValueLayout.JAVA_LONG, Long.BYTES));
      return result == 0;
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public void destroy() {
    release.clean();
  }
}
