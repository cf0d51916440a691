package dev.weir.replication.manifest;

/**
 * What a manifest adds up to.
 *
 * @param entries files and directories
 * @param bytes the sizes of all files: the length of the container's byte space
 * @param dataBytes those outside holes, which travel
 */
public record Summary(long entries, long bytes, long dataBytes) {
  /** Of a manifest without entries. */
  public static final Summary EMPTY = new Summary(0, 0, 0);

  Summary plusEntry(long size) {
    return new Summary(entries + 1, Math.addExact(bytes, size), dataBytes);
  }

  Summary plusData(long data) {
    return new Summary(entries, bytes, dataBytes + data);
  }
}
