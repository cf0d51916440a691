package dev.weir.compression.zstd;

import dev.weir.compression.codec.CorruptInputException;
import dev.weir.compression.codec.Decoder;
import dev.weir.compression.codec.DirectBuffers;
import dev.weir.compression.context.ContextMemory;
import dev.weir.compression.context.ContextPool;
import dev.weir.memory.Block;
import dev.weir.memory.budget.BudgetExceededError;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * Decompresses frames one behind the other, the skippable ones too. It reads each header by itself,
 * so that a frame gets a context of the size that it needs, and none if that is more than allowed.
 */
final class ZstdDecoder implements Decoder {
  /*
   *             header                       all of the frame
   *   HEADER ─────────────▶ IN_FRAME ─────────────────────────▶ HEADER
   *      └────skippable───▶ SKIPPING ─────────────────────────────┘
   *
   *   A header that arrives in pieces is gathered, and then is what the context gets first.
   */
  private enum Phase {
    HEADER,
    IN_FRAME,
    SKIPPING,
    CLOSED
  }

  private final ZstdLibrary library;
  private final ContextPool<ZstdDecoderProfile, ZstdDecoderContext> contexts;
  private final ContextMemory memory;
  private final @Nullable ZstdDictionary dictionary;
  private final byte[] header = new byte[ZstdFrame.MAX_HEADER_BYTES];
  private Phase phase = Phase.HEADER;
  private int headerBytes;
  private long skipBytes;

  /**
   * What is left of the content that the frame has announced; negative if it has announced none.
   */
  private long announcedBytes;

  private @Nullable ZstdDecoderContext context;

  ZstdDecoder(
      ZstdLibrary library,
      ContextPool<ZstdDecoderProfile, ZstdDecoderContext> contexts,
      ContextMemory memory,
      @Nullable ZstdDictionary dictionary) {
    this.library = library;
    this.contexts = contexts;
    this.memory = memory;
    this.dictionary = dictionary;
  }

  @Override
  public boolean decode(ByteBuf source, ByteBuf target) {
    DirectBuffers.require(source);
    DirectBuffers.require(target);
    while (true) {
      switch (phase) {
        case HEADER -> {
          if (!readHeader(source, target)) {
            return true;
          }
        }
        case SKIPPING -> {
          int skipped = (int) Math.min(skipBytes, source.readableBytes());
          source.skipBytes(skipped);
          skipBytes -= skipped;
          if (skipBytes > 0) {
            return true;
          }
          phase = Phase.HEADER;
        }
        case IN_FRAME -> {
          if (!decodeFrame(source, target)) {
            return target.isWritable();
          }
        }
        case CLOSED -> throw new IllegalStateException("the decoder has been closed");
      }
    }
  }

  /** Whether the frame is at its end; if not, the source is empty or the target is full. */
  private boolean decodeFrame(ByteBuf source, ByteBuf target) {
    ZstdDecoderContext current = context;
    if (current == null) {
      throw new IllegalStateException("there is no context in a frame");
    }
    boolean ended;
    int start = target.writerIndex();
    do {
      ended = current.decode(source, target);
    } while (!ended && source.isReadable() && target.isWritable());
    count(target.writerIndex() - start, ended);
    if (ended) {
      phase = Phase.HEADER;
    }
    return ended;
  }

  /** The library itself overlooks a wrong length where the last block is empty. */
  private void count(int bytes, boolean ended) {
    if (announcedBytes >= 0) {
      announcedBytes -= bytes;
      if (announcedBytes < 0 || (ended && announcedBytes > 0)) {
        throw new CorruptInputException("zstd: the content has another length than announced");
      }
    }
  }

  /** Whether a header has been read; if not, the source is empty. */
  private boolean readHeader(ByteBuf source, ByteBuf target) {
    if (headerBytes == 0) {
      int start = source.readerIndex();
      int available = Math.min(source.readableBytes(), ZstdFrame.MAX_HEADER_BYTES);
      ZstdFrame whole = ZstdFrame.parse(i -> source.getUnsignedByte(start + i), available);
      if (whole != null) {
        begin(whole);
        if (whole.isSkippable()) {
          source.skipBytes(whole.headerBytes());
        }
        return true;
      }
    }
    while (source.isReadable()) {
      header[headerBytes++] = source.readByte();
      ZstdFrame gathered = ZstdFrame.parse(i -> header[i] & 0xff, headerBytes);
      if (gathered != null) {
        int gatheredBytes = headerBytes;
        headerBytes = 0;
        begin(gathered);
        if (!gathered.isSkippable()) {
          feedHeader(gatheredBytes, target);
        }
        return true;
      }
    }
    return false;
  }

  private void begin(ZstdFrame frame) {
    if (frame.isSkippable()) {
      skipBytes = frame.skippableBytes();
      phase = Phase.SKIPPING;
      return;
    }
    if (frame.windowBytes() > 1L << ZstdDecoderProfile.MAX_WINDOW_LOG) {
      throw new CorruptInputException(
          "zstd: a window of %,d bytes is needed (allowed: %,d)"
              .formatted(frame.windowBytes(), 1L << ZstdDecoderProfile.MAX_WINDOW_LOG));
    }
    int known = dictionary == null ? 0 : dictionary.id();
    if (frame.dictionaryId() != 0 && frame.dictionaryId() != Integer.toUnsignedLong(known)) {
      throw new CorruptInputException(
          "zstd: dictionary %d is needed (known: %s)"
              .formatted(
                  frame.dictionaryId(), known == 0 ? "none" : Integer.toUnsignedString(known)));
    }
    announcedBytes = frame.contentBytes();
    contextFor(frame.windowBytes()).begin();
    phase = Phase.IN_FRAME;
  }

  private ZstdDecoderContext contextFor(long windowBytes) {
    ZstdDecoderContext current = context;
    if (current != null && windowBytes <= current.profile().windowBytes()) {
      return current;
    }
    giveContextBack();
    ZstdDecoderProfile profile = ZstdDecoderProfile.forWindow(windowBytes, dictionary);
    ZstdDecoderContext taken = contexts.tryTake(profile);
    if (taken == null) {
      throw memory.noRoomForWindow("zstd", windowBytes, library.decoderBytes(profile));
    }
    context = taken;
    return taken;
  }

  /** Hands a gathered header over: there is no output yet. */
  private void feedHeader(int bytes, ByteBuf target) {
    Block block = memory.tryAllocate(ZstdFrame.MAX_HEADER_BYTES);
    if (block == null) {
      throw new BudgetExceededError(
          memory.budget(),
          ZstdFrame.MAX_HEADER_BYTES,
          "there is no room for the header of a frame");
    }
    try {
      ByteBuf source = Unpooled.wrappedBuffer(block.segment().asByteBuffer());
      source.clear().writeBytes(header, 0, bytes);
      if (decodeFrame(source, target) || source.isReadable()) {
        throw new CorruptInputException("zstd: a frame ends in its header");
      }
    } finally {
      block.release();
    }
  }

  @Override
  public void finish() {
    if (phase != Phase.HEADER || headerBytes > 0) {
      throw new CorruptInputException("zstd: the input ends within a frame");
    }
  }

  private void giveContextBack() {
    ZstdDecoderContext last = context;
    context = null;
    if (last != null) {
      contexts.giveBack(last.profile(), last);
    }
  }

  @Override
  public void close() {
    phase = Phase.CLOSED;
    giveContextBack();
  }
}
