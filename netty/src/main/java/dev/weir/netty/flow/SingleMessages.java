package dev.weir.netty.flow;

/**
 * A decoder that makes one message at a time of what it was given, and keeps the rest. A {@link
 * io.netty.handler.codec.ByteToMessageDecoder} does so that decodes singly.
 */
public interface SingleMessages {

  /** How many messages it has made so far. */
  long messages();

  /** Whether it may make another message of what it has kept, without more bytes. */
  boolean mayHaveMessage();

  /** Makes room in the buffer of what it has kept. Called before more bytes are read. */
  void compact();
}
