/** Evidence: scenarios and traces that compare allocators, each in a JVM of its own. */
module dev.weir.lab {
  requires static org.jspecify;
  requires dev.weir.netty;
  requires info.picocli;
  requires tools.jackson.jr.ob;

  exports dev.weir.lab;

  opens dev.weir.lab to
      info.picocli;
}
