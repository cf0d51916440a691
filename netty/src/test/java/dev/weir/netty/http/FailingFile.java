package dev.weir.netty.http;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * A file of which each step may be the one that fails, with those of an allocator: to open it, to
 * write, to map it, and to close it, after which it is closed all the same.
 */
final class FailingFile extends FileAround {
  private final FailingAllocator failures;

  private FailingFile(FailingAllocator failures, FileChannel file) {
    super(file);
    this.failures = failures;
  }

  static Disk disk(FailingAllocator failures) {
    return (path, options, attributes) -> {
      failures.count(IOException::new);
      return new FailingFile(failures, FileChannel.open(path, options, attributes));
    };
  }

  @Override
  public int write(ByteBuffer source, long position) throws IOException {
    failures.count(IOException::new);
    return super.write(source, position);
  }

  /** For want of mappings the JDK throws an error. */
  @Override
  public MemorySegment map(MapMode mode, long offset, long size, Arena arena) throws IOException {
    failures.count(OutOfMemoryError::new);
    return super.map(mode, offset, size, arena);
  }

  @Override
  protected void implCloseChannel() throws IOException {
    super.implCloseChannel();
    failures.count(IOException::new);
  }
}
