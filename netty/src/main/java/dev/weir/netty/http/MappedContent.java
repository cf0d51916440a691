package dev.weir.netty.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;

/**
 * The contents of a file as a buffer. Its pages are the system's, which reads them when they are
 * accessed and drops them when it needs the room; after the last release they are unmapped and the
 * rest is given back, by a thread that may wait. Changes of the buffer stay in memory. Its capacity
 * is fixed: another one would be a copy in memory that nobody has granted.
 */
final class MappedContent extends UnpooledDirectByteBuf {
  private final Arena arena;
  private final Disk disk;
  private final Runnable afterRelease;

  private MappedContent(
      ByteBufAllocator allocator,
      Arena arena,
      FileChannel file,
      int bytes,
      Disk disk,
      Runnable afterRelease)
      throws IOException {
    super(allocator, file.map(MapMode.PRIVATE, 0, bytes, arena).asByteBuffer(), bytes);
    this.arena = arena;
    this.disk = disk;
    this.afterRelease = afterRelease;
  }

  /** Maps the first {@code bytes} of a file, at least one. */
  static MappedContent of(
      ByteBufAllocator allocator, FileChannel file, int bytes, Disk disk, Runnable afterRelease)
      throws IOException {
    Arena arena = Arena.ofShared();
    try {
      return new MappedContent(allocator, arena, file, bytes, disk, afterRelease);
    } catch (Throwable failure) {
      arena.close();
      throw failure;
    }
  }

  @Override
  public ByteBuf capacity(int newCapacity) {
    if (newCapacity != capacity()) {
      throw new UnsupportedOperationException(
          "the capacity of a body in a file is fixed at " + capacity() + " bytes: " + newCapacity);
    }
    return this;
  }

  @Override
  protected void deallocate() {
    super.deallocate();
    disk.aside(this::unmap);
  }

  /**
   * The last reference of a file without a name: its blocks on the disk go, which may take time.
   */
  private void unmap() {
    try {
      arena.close();
    } finally {
      afterRelease.run();
    }
  }
}
