/** zstd, gzip and brotli for HTTP, their contexts pooled and charged to a budget. */
module dev.weir.compression {
  requires static org.jspecify;
  requires transitive dev.weir.memory;
  requires dev.weir.netty;
  requires static com.aayushatharva.brotli4j;
  requires com.github.luben.zstd_jni;
  requires transitive io.netty.buffer;
  requires io.netty.codec;
  requires transitive io.netty.codec.http;
  requires io.netty.common;
  requires transitive io.netty.transport;

  exports dev.weir.compression;
  exports dev.weir.compression.brotli;
  exports dev.weir.compression.codec;
  exports dev.weir.compression.context;
  exports dev.weir.compression.gzip;
  exports dev.weir.compression.http;
  exports dev.weir.compression.zstd;
}
