/** The node: an HTTP server for append-only streams in bounded memory. */
module dev.weir.server {
  requires static org.jspecify;
  requires dev.weir.compression;
  requires dev.weir.memory;
  requires dev.weir.netty;
  requires dev.weir.objects.s3;
  requires dev.weir.replication;
  requires dev.weir.streams;
  requires info.picocli;
  requires io.netty.codec;
  requires io.netty.codec.http;
  requires io.netty.codec.http2;
  requires io.netty.common;
  requires io.netty.handler;
  requires io.netty.transport;
  requires io.netty.transport.classes.epoll;
  requires io.netty.transport.classes.io_uring;
  requires io.prometheus.metrics.core;
  requires io.prometheus.writer.text;
  requires io.prometheus.metrics.model;
  requires java.management;
  requires java.net.http;
  requires jdk.management;
  requires tools.jackson.core;
  requires tools.jackson.jr.ob;

  exports dev.weir.server;
  exports dev.weir.server.top;

  opens dev.weir.server to
      info.picocli;
  opens dev.weir.server.top to
      info.picocli;
}
