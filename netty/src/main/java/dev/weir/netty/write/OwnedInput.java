package dev.weir.netty.write;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.stream.ChunkedInput;

/**
 * An input as the pipeline sees it for one write, which is closed once: by the pipeline, or else by
 * whoever sent it. Closed, it has nothing more: a handler that has kept it by mistake does not read
 * what was given back.
 */
final class OwnedInput<B> implements ChunkedInput<B> {
  private final ChunkedInput<B> input;
  private final ClosedPart<ChunkedInput<B>> part;

  OwnedInput(ChunkedInput<B> input) {
    this.input = input;
    part = new ClosedPart<>(input, ChunkedInput::close);
  }

  /** What has to go back. */
  OwnedPart part() {
    return part;
  }

  @Override
  public void close() throws Exception {
    part.close();
  }

  @Override
  public boolean isEndOfInput() throws Exception {
    return part.isGone() || input.isEndOfInput();
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
    if (part.isGone()) {
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
