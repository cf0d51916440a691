/** The node: an HTTP server for append-only streams in bounded memory. */
module dev.weir.server {
  requires static org.jspecify;
  requires dev.weir.netty;
  requires info.picocli;
  requires io.netty.transport.classes.epoll;

  exports dev.weir.server;

  opens dev.weir.server to
      info.picocli;
}
