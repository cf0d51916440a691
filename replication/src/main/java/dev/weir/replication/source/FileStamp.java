package dev.weir.replication.source;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What changes when a file does: a content with the same stamp is the same. Times are in
 * nanoseconds since 1970.
 */
record FileStamp(long device, long inode, long size, long modifiedNanos, long changedNanos) {
  static final int BYTES = 40;

  private static final int TYPE = 0170000;
  private static final int FILE = 0100000;
  private static final int DIRECTORY = 0040000;

  /** A path's kind, permission bits and stamp. */
  record Facts(int type, int mode, FileStamp stamp) {
    boolean isFile() {
      return type == FILE;
    }

    boolean isDirectory() {
      return type == DIRECTORY;
    }

    /** What it is, as an error names it. */
    String kind() {
      return switch (type) {
        case 0120000 -> "a symbolic link";
        case 0140000 -> "a socket";
        case 0010000 -> "a pipe";
        case 0020000, 0060000 -> "a device";
        default -> "neither a file nor a directory";
      };
    }
  }

  /** Of a file, or of a link itself. */
  static Facts read(Path path) throws IOException {
    Map<String, Object> facts =
        Files.readAttributes(
            path, "unix:mode,dev,ino,size,lastModifiedTime,ctime", LinkOption.NOFOLLOW_LINKS);
    int mode = (int) number(facts, "mode");
    return new Facts(
        mode & TYPE,
        mode & 0777,
        new FileStamp(
            number(facts, "dev"),
            number(facts, "ino"),
            number(facts, "size"),
            nanos(facts, "lastModifiedTime"),
            nanos(facts, "ctime")));
  }

  private static long number(Map<String, Object> facts, String name) throws IOException {
    if (facts.get(name) instanceof Number number) {
      return number.longValue();
    }
    throw new IOException("the file system says nothing of '" + name + "'");
  }

  private static long nanos(Map<String, Object> facts, String name) throws IOException {
    if (facts.get(name) instanceof FileTime time) {
      return time.to(TimeUnit.NANOSECONDS);
    }
    throw new IOException("the file system says nothing of '" + name + "'");
  }

  /** As it counts in a tree. */
  FileStamp in(Origin.Tree tree) {
    return tree.isSealed() ? new FileStamp(device, inode, size, modifiedNanos, 0) : this;
  }

  void write(DataOutput out) throws IOException {
    out.writeLong(device);
    out.writeLong(inode);
    out.writeLong(size);
    out.writeLong(modifiedNanos);
    out.writeLong(changedNanos);
  }

  static FileStamp readFrom(DataInput in) throws IOException {
    return new FileStamp(in.readLong(), in.readLong(), in.readLong(), in.readLong(), in.readLong());
  }
}
