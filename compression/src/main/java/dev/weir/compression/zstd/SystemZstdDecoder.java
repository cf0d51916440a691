package dev.weir.compression.zstd;

import dev.weir.compression.codec.CodecException;
import dev.weir.compression.codec.CorruptInputException;
import dev.weir.compression.codec.DirectBuffers;
import dev.weir.compression.context.ContextMemory;
import io.netty.buffer.ByteBuf;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/** Decompresses in a block of the pool, which holds all that the library writes to. */
final class SystemZstdDecoder implements ZstdDecoderContext {
  private final ZstdDecoderProfile profile;
  private final SystemZstdMemory memory;
  private final long decoder;
  private final long bytes;
  private final Cleaner.Cleanable release;

  private SystemZstdDecoder(
      ZstdDecoderProfile profile,
      SystemZstdMemory memory,
      long decoder,
      @Nullable SystemZstdDictionary dictionary) {
    this.profile = profile;
    this.memory = memory;
    this.decoder = decoder;
    this.bytes = memory.bytesWith(dictionary);
    this.release = memory.releaseWith(this, dictionary);
  }

  /** What {@link #tryCreate} asks for. */
  static long neededBytes(ZstdDecoderProfile profile) {
    ZstdDictionary dictionary = profile.dictionary();
    return SystemZstdMemory.blockBytes(workspaceBytes(profile))
        + (dictionary == null ? 0 : SystemZstdDictionary.decoderBytes(dictionary));
  }

  /** What the library works in. */
  private static long workspaceBytes(ZstdDecoderProfile profile) {
    return ZstdCalls.call(ZstdFunction.ESTIMATE_DECODER, profile.windowBytes());
  }

  static @Nullable SystemZstdDecoder tryCreate(ZstdDecoderProfile profile, ContextMemory memory) {
    long workspaceBytes = workspaceBytes(profile);
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
        space.release(dictionary);
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
      long result =
          ZstdCalls.decode(
              decoder,
              SystemZstdMemory.addressOf(DirectBuffers.require(target)) + target.writerIndex(),
              target.writableBytes(),
              SystemZstdMemory.addressOf(DirectBuffers.require(source)) + source.readerIndex(),
              source.readableBytes(),
              memory.resetPositions());
      if (result < 0) {
        String message = "zstd: " + ZstdCalls.errorName(result);
        throw ZstdCalls.isOutOfMemory(result)
            ? new CodecException(message)
            : new CorruptInputException(message);
      }
      memory.advance(source, target);
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
