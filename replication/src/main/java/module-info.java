/** Containers over HTTP: directory trees that move between hosts, verified, in bounded memory. */
@SuppressWarnings("module") // The lab is compiled later.
module dev.weir.replication {
  requires static org.jspecify;
  requires dev.weir.memory;
  requires dev.weir.netty;
  requires transitive info.picocli;
  requires io.netty.buffer;
  requires io.netty.codec;
  requires io.netty.codec.http;
  requires io.netty.common;
  requires io.netty.handler;
  requires io.netty.transport;
  requires io.netty.transport.classes.epoll;
  requires tools.jackson.jr.ob;

  exports dev.weir.replication.command;
  exports dev.weir.replication.fetch to
      dev.weir.lab;
  exports dev.weir.replication.manifest to
      dev.weir.server;
  exports dev.weir.replication.net to
      dev.weir.lab,
      dev.weir.server;
  exports dev.weir.replication.serve to
      dev.weir.lab,
      dev.weir.server;
  exports dev.weir.replication.source to
      dev.weir.server;

  opens dev.weir.replication.command to
      info.picocli;
}
