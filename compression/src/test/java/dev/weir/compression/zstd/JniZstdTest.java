package dev.weir.compression.zstd;

/** What zstd-jni brings. */
class JniZstdTest extends ZstdContract {
  @Override
  ZstdLibrary library() {
    return JniZstd.load();
  }
}
