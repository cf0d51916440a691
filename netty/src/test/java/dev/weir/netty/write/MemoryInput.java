package dev.weir.netty.write;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.stream.ChunkedInput;

/** An input of one chunk, whose memory is released each time that it is closed. */
final class MemoryInput implements ChunkedInput<ByteBuf> {
  private final ByteBuf content;
  private boolean read;
  private int closings;

  MemoryInput(ByteBuf content) {
    this.content = content;
  }

  /** How often it was closed. */
  int closings() {
    return closings;
  }

  @Override
  public boolean isEndOfInput() {
    return read;
  }

  @Override
  public void close() {
    closings++;
    content.release();
  }

  @Override
  @Deprecated
  public ByteBuf readChunk(ChannelHandlerContext ctx) {
    return readChunk(ctx.alloc());
  }

  @Override
  public ByteBuf readChunk(ByteBufAllocator allocator) {
    read = true;
    return content.retainedDuplicate();
  }

  @Override
  public long length() {
    return content.writerIndex();
  }

  @Override
  public long progress() {
    return read ? length() : 0;
  }
}
