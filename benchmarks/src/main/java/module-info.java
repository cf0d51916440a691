/** JMH benchmarks of Weir beside Netty's own allocators. */
module dev.weir.benchmarks {
  requires static org.jspecify;
  requires dev.weir.netty;
  requires info.picocli;
  requires jmh.core;

  exports dev.weir.benchmarks;

  opens dev.weir.benchmarks to
      info.picocli;
}
