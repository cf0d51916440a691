package dev.weir.netty.write;

import io.netty.buffer.ByteBuf;
import io.netty.channel.FileRegion;
import io.netty.util.AbstractReferenceCounted;
import java.io.IOException;
import java.nio.channels.WritableByteChannel;

/** A region of memory where transports expect one of a file. */
final class MemoryRegion extends AbstractReferenceCounted implements FileRegion {
  private final ByteBuf content;
  private long transferred;

  MemoryRegion(ByteBuf content) {
    this.content = content;
  }

  ByteBuf content() {
    return content;
  }

  @Override
  public long position() {
    return 0;
  }

  @Override
  @Deprecated
  public long transfered() {
    return transferred;
  }

  @Override
  public long transferred() {
    return transferred;
  }

  @Override
  public long count() {
    return content.writerIndex();
  }

  @Override
  public long transferTo(WritableByteChannel target, long position) throws IOException {
    int from = Math.toIntExact(position);
    int written = target.write(content.nioBuffer(from, content.writerIndex() - from));
    transferred += written;
    return written;
  }

  @Override
  protected void deallocate() {
    content.release();
  }

  @Override
  public MemoryRegion retain() {
    super.retain();
    return this;
  }

  @Override
  public MemoryRegion retain(int increment) {
    super.retain(increment);
    return this;
  }

  @Override
  public MemoryRegion touch() {
    return this;
  }

  @Override
  public MemoryRegion touch(Object hint) {
    return this;
  }
}
