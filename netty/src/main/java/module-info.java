/** Weir for Netty: the buffer allocator and the pipeline handlers that keep memory bounded. */
@SuppressWarnings("module") // those named in exports are built after this module
module dev.weir.netty {
  requires static org.jspecify;
  requires transitive dev.weir.memory;
  requires transitive io.netty.buffer;
  requires transitive io.netty.common;
  requires transitive io.netty.transport;
  requires transitive io.netty.handler;
  requires io.netty.codec;
  requires transitive io.netty.codec.http;
  requires transitive io.netty.codec.http2;
  requires static io.netty.transport.classes.epoll;
  requires static io.netty.transport.unix.common;
  requires static io.netty.transport.classes.io_uring;

  exports dev.weir.netty;
  exports dev.weir.netty.flow;
  exports dev.weir.netty.http;
  exports dev.weir.netty.inbound;
  exports dev.weir.netty.transport;
  exports dev.weir.netty.write;
  exports dev.weir.netty.log to
      dev.weir.compression,
      dev.weir.replication;
  exports dev.weir.netty.loop to
      dev.weir.compression;
  exports dev.weir.netty.refusal to
      dev.weir.compression,
      dev.weir.lab,
      dev.weir.replication,
      dev.weir.server;
}
