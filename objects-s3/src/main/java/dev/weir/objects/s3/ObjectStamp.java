package dev.weir.objects.s3;

import java.util.HexFormat;
import java.util.Map;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What each object carries as metadata: which write made it, and its bytes' CRC32C. A service that
 * fails a write for its condition, after that very write succeeded, is found out by the first.
 *
 * @param nonce null: written by another program
 * @param crc32c in hex; null likewise
 */
record ObjectStamp(@Nullable String nonce, @Nullable String crc32c) {
  private static final String NONCE = "weir-nonce";
  private static final String CRC32C = "weir-crc32c";

  /** Of a new write. */
  static ObjectStamp create(int crc32c) {
    return new ObjectStamp(UUID.randomUUID().toString(), HexFormat.of().toHexDigits(crc32c));
  }

  static ObjectStamp of(Map<String, String> metadata) {
    return new ObjectStamp(metadata.get(NONCE), metadata.get(CRC32C));
  }

  Map<String, String> metadata() {
    return nonce == null || crc32c == null ? Map.of() : Map.of(NONCE, nonce, CRC32C, crc32c);
  }

  /** Whether the same write made both. */
  boolean isOf(ObjectStamp other) {
    return nonce != null && nonce.equals(other.nonce);
  }

  /** Whether bytes are those that were written, as far as is known. */
  boolean agrees(CRC32C found) {
    return crc32c == null || crc32c.equals(HexFormat.of().toHexDigits((int) found.getValue()));
  }
}
