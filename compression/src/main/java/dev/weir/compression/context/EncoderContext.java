package dev.weir.compression.context;

import dev.weir.compression.codec.Step;
import io.netty.buffer.ByteBuf;

/** Compresses streams, one after the other. */
public interface EncoderContext extends Context {
  /** The length of a stream is not known when it begins. */
  long UNKNOWN_LENGTH = -1;

  /**
   * Begins a stream, whatever has become of the last one.
   *
   * @param sourceBytes how long it will be exactly, or {@link #UNKNOWN_LENGTH}
   */
  void begin(long sourceBytes);

  /** As {@link dev.weir.compression.codec.Encoder#encode}. */
  boolean encode(ByteBuf source, ByteBuf target, Step step);
}
