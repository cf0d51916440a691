package dev.weir.streams.manifest;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/** Which of the shards has a stream: by a hash of its name, the same on every node. */
public final class Shards {
  /** How many manifests there are. */
  public static final int COUNT = 256;

  /** What all keys of manifests begin with. */
  public static final String PREFIX = "shards/";

  private Shards() {}

  /** The shard of a stream's name. */
  public static int of(String path) {
    CRC32C crc = new CRC32C();
    crc.update(ByteBuffer.wrap(path.getBytes(StandardCharsets.UTF_8)));
    return (int) (crc.getValue() & (COUNT - 1));
  }

  /** The key of a shard's manifest. */
  public static String key(int shard) {
    return PREFIX + shard;
  }
}
