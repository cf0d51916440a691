package dev.weir.replication.send;

import dev.weir.replication.source.Slices.Slice;
import io.netty.channel.DefaultFileRegion;
import io.netty.util.AbstractReferenceCounted;
import io.netty.util.ReferenceCounted;
import java.io.IOException;

/** A part of a file that is being sent: its file is closed when the last region of it is gone. */
final class OpenSlice extends AbstractReferenceCounted {
  private final Slice slice;
  private long sent;

  OpenSlice(Slice slice) {
    this.slice = slice;
  }

  Slice slice() {
    return slice;
  }

  long remaining() {
    return slice.length() - sent;
  }

  long position() {
    return slice.offset() + sent;
  }

  void advance(long bytes) {
    sent += bytes;
  }

  /** The next bytes as a region that goes from the file to the socket. */
  DefaultFileRegion region(long bytes) {
    DefaultFileRegion region = new Region(this, position(), bytes);
    retain();
    advance(bytes);
    return region;
  }

  @Override
  protected void deallocate() {
    try {
      slice.file().close();
    } catch (IOException e) {
      System.getLogger(OpenSlice.class.getName())
          .log(System.Logger.Level.DEBUG, "closing " + slice.path(), e);
    }
  }

  @Override
  public ReferenceCounted touch(Object hint) {
    return this;
  }

  private static final class Region extends DefaultFileRegion {
    private final OpenSlice owner;

    Region(OpenSlice owner, long position, long count) {
      super(owner.slice.file(), position, count);
      this.owner = owner;
    }

    @Override
    protected void deallocate() {
      // The file is shared with the regions that follow.
      owner.release();
    }
  }
}
