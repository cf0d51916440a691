package dev.weir.compression.zstd;

import dev.weir.compression.context.Context;
import io.netty.buffer.ByteBuf;

/** Decompresses frames, one after the other. */
interface ZstdDecoderContext extends Context {
  /** What it was made for. */
  ZstdDecoderProfile profile();

  /** Begins a frame, whatever has become of the last one. */
  void begin();

  /**
   * Decompresses from the source to the target as far as they go, and not beyond the frame.
   *
   * @return whether the frame is at its end, and all of it in the targets
   * @throws dev.weir.compression.codec.CorruptInputException if the frame is damaged
   */
  boolean decode(ByteBuf source, ByteBuf target);
}
