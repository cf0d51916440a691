/** JMH benchmarks of Weir beside Netty's own allocators. */
module dev.weir.benchmarks {
  requires static org.jspecify;
  requires com.github.luben.zstd_jni;
  requires dev.weir.compression;
  requires dev.weir.lab;
  requires dev.weir.memory;
  requires dev.weir.micrometer;
  requires dev.weir.netty;
  requires transitive info.picocli;
  requires io.netty.buffer;
  requires io.netty.codec.compression;
  requires io.netty.codec.http;
  requires io.netty.common;
  requires io.netty.transport;
  requires java.management;
  requires jdk.management;
  requires micrometer.core;
  requires jmh.core;
  requires tools.jackson.core;
  requires tools.jackson.jr.ob;

  exports dev.weir.benchmarks;

  opens dev.weir.benchmarks to
      info.picocli;
}
