package dev.weir.netty.write;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.stream.ChunkedInput;

/**
 * An input for one write, which is closed once: by the pipeline, or else by whoever sent it.
 * Closed, it has nothing more: a handler that has kept it by mistake does not read what was given
 * back.
 */
final class OwnedInput<B> implements ChunkedInput<B>, OwnedPart {
  private static final System.Logger LOG = System.getLogger(OwnedInput.class.getName());

  private final ChunkedInput<B> input;
  private boolean closed;

  OwnedInput(ChunkedInput<B> input) {
    this.input = input;
  }

  // Ownership.

  @Override
  public void countOnItsWay(BytesOnTheirWay.OfOneWrite onTheirWay) {
    onTheirWay.count(this);
  }

  @Override
  public boolean isUnused() {
    return !closed;
  }

  @Override
  public boolean isGone() {
    return closed;
  }

  @Override
  public void settle() {
    drop();
  }

  @Override
  public void drop() {
    try {
      close();
    } catch (Exception failure) {
      LOG.log(
          System.Logger.Level.WARNING,
          "an input of type " + input.getClass().getName() + " could not be closed",
          failure);
    }
  }

  // The input.

  @Override
  public void close() throws Exception {
    if (!closed) {
      closed = true;
      input.close();
    }
  }

  @Override
  public boolean isEndOfInput() throws Exception {
    return closed || input.isEndOfInput();
  }

  @Override
  @Deprecated
  public B readChunk(ChannelHandlerContext ctx) throws Exception {
    ensureOpen();
    return input.readChunk(ctx);
  }

  @Override
  public B readChunk(ByteBufAllocator allocator) throws Exception {
    ensureOpen();
    return input.readChunk(allocator);
  }

  private void ensureOpen() {
    if (closed) {
      throw new IllegalStateException("the input is closed");
    }
  }

  @Override
  public long length() {
    return input.length();
  }

  @Override
  public long progress() {
    return input.progress();
  }
}
