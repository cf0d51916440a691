package dev.weir.replication.manifest;

/**
 * The layout of a manifest. Numbers are big-endian.
 *
 * <pre>
 * head   "WEIRMAN1" │ u32 bytes a chunk
 * entry  u8 1 (directory) │ u16 n, n bytes of path │ u16 mode
 *        u8 2 (file)      │ u16 n, n bytes of path │ u16 mode │ i64 size │ runs
 * run    i32 n &gt; 0: n checksums (u32, CRC32C) of n chunks;  i32 -n: a hole of n chunks
 * end    u8 0 │ i64 entries │ i64 bytes │ i64 bytes outside holes │ u32 CRC32C of all before
 * </pre>
 *
 * <p>A directory stands before what it holds, and names in a directory rise by their UTF-8 bytes. A
 * file's runs cover its size; the last chunk may be short. A hole is a chunk of zeros.
 */
public final class ManifestLayout {
  /** The bytes behind one checksum. */
  public static final int CHUNK_BYTES = 1 << 20;

  static final long MAGIC = 0x574549524d414e31L;
  static final int END = 0;
  static final int DIRECTORY = 1;
  static final int FILE = 2;
  static final int MAX_RUN_CHUNKS = 256;

  /** The permission bits; others do not travel. */
  static final int MODES = 0777;

  private ManifestLayout() {}

  /** How many chunks a file has. */
  public static long chunks(long size) {
    return size / CHUNK_BYTES + (size % CHUNK_BYTES == 0 ? 0 : 1);
  }

  /** The bytes of a file's chunk. */
  public static int chunkBytes(long size, long chunk) {
    return (int) Math.min(CHUNK_BYTES, size - chunk * CHUNK_BYTES);
  }
}
