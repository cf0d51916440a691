package dev.weir.compression.zstd;

/** Which library is used, found out once. */
final class ZstdChoice {
  static final ZstdLibrary BEST =
      SystemZstd.find().<ZstdLibrary>map(found -> found).orElseGet(JniZstd::load);

  private ZstdChoice() {}
}
