package dev.weir.compression;

/** A content coding of HTTP that Weir knows. */
public enum ContentCoding {
  /** RFC 8878, with windows of at most 8 MiB (RFC 9659). */
  ZSTD("zstd"),
  /** RFC 7932. */
  BROTLI("br"),
  /** RFC 1952. */
  GZIP("gzip");

  private final String token;

  ContentCoding(String token) {
    this.token = token;
  }

  /** Its name in {@code Content-Encoding}. */
  public String token() {
    return token;
  }
}
