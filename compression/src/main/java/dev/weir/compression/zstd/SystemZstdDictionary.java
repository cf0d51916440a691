package dev.weir.compression.zstd;

import dev.weir.compression.codec.CodecException;
import dev.weir.compression.context.ContextMemory;
import dev.weir.memory.Block;
import dev.weir.memory.Grant;
import java.lang.foreign.MemorySegment;
import java.util.function.LongConsumer;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A dictionary made ready for one context: its content in a block of the pool, its tables in the
 * library's own memory, for which the pool sets pages aside.
 */
final class SystemZstdDictionary implements AutoCloseable {
  private static final int BY_REFERENCE = 1;

  private final Block content;
  private final Grant tables;
  private final LongConsumer free;
  private final long address;

  private SystemZstdDictionary(Block content, Grant tables, LongConsumer free, long address) {
    this.content = content;
    this.tables = tables;
    this.free = free;
    this.address = address;
  }

  static @Nullable SystemZstdDictionary tryForEncoder(
      ZstdDictionary dictionary, int level, ContextMemory memory) {
    long bytes =
        ZstdCalls.call(ZstdFunction.ESTIMATE_ENCODER_DICTIONARY, (long) dictionary.bytes(), level);
    return tryCreate(
        dictionary,
        bytes,
        memory,
        ZstdCalls::freeEncoderDictionary,
        content -> ZstdCalls.createEncoderDictionary(content, dictionary.bytes(), level));
  }

  static @Nullable SystemZstdDictionary tryForDecoder(
      ZstdDictionary dictionary, ContextMemory memory) {
    return tryCreate(
        dictionary,
        decoderTableBytes(dictionary),
        memory,
        ZstdCalls::freeDecoderDictionary,
        content -> ZstdCalls.createDecoderDictionary(content, dictionary.bytes()));
  }

  /** What {@link #tryForDecoder} asks for. */
  static long decoderBytes(ZstdDictionary dictionary) {
    return dictionary.bytes() + decoderTableBytes(dictionary);
  }

  private static long decoderTableBytes(ZstdDictionary dictionary) {
    return ZstdCalls.call(
        ZstdFunction.ESTIMATE_DECODER_DICTIONARY, (long) dictionary.bytes(), BY_REFERENCE);
  }

  /**
   * Makes one out of the library's calls.
   *
   * @param free gives the tables back that are at an address
   * @param make makes the tables of the content at an address; 0 if it cannot be read, or there is
   *     no memory for them
   */
  static @Nullable SystemZstdDictionary tryCreate(
      ZstdDictionary dictionary,
      long tableBytes,
      ContextMemory memory,
      LongConsumer free,
      LongUnaryOperator make) {
    Block content = memory.tryAllocate(dictionary.bytes());
    if (content == null) {
      return null;
    }
    Grant tables = null;
    long address = 0;
    SystemZstdDictionary made = null;
    try {
      tables = memory.trySetAside(tableBytes);
      if (tables == null) {
        return null;
      }
      MemorySegment.copy(
          MemorySegment.ofArray(dictionary.content()), 0, content.segment(), 0, dictionary.bytes());
      address = make.applyAsLong(content.address());
      if (address == 0 && dictionary.id() == 0) {
        return null; // The library has no memory for the tables.
      }
      if (address == 0) {
        throw new CodecException("zstd cannot read, or has no memory for, " + dictionary);
      }
      made = new SystemZstdDictionary(content, tables, free, address);
      return made;
    } finally {
      if (made == null) {
        giveBack(content, tables, address, free);
      }
    }
  }

  /** Has a context use it. */
  void use(ZstdFunction function, long context) {
    ZstdCalls.require(function.name(), ZstdCalls.call(function, context, address));
  }

  long bytes() {
    return content.size() + tables.bytes();
  }

  /** Tables first: they refer to the content, and are what has been set aside for. */
  private static void giveBack(
      Block content, @Nullable Grant tables, long address, LongConsumer free) {
    try {
      if (address != 0) {
        free.accept(address);
      }
    } finally {
      try {
        if (tables != null) {
          tables.close();
        }
      } finally {
        content.release();
      }
    }
  }

  @Override
  public void close() {
    giveBack(content, tables, address, free);
  }
}
