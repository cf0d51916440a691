/**
 * Pages, slabs, heaps and budgets: bounded memory that depends on nothing but the JDK.
 *
 * <p>The API is what every module sees. The inside is for {@code dev.weir.netty}, whose buffers
 * stand for blocks themselves: {@link dev.weir.memory.AllocatorSupport} is the way in.
 */
@SuppressWarnings("module") // dev.weir.netty is built after this module
module dev.weir.memory {
  requires static org.jspecify;
  requires transitive java.management;
  requires static jdk.jfr;

  exports dev.weir.memory;
  exports dev.weir.memory.budget;
  exports dev.weir.memory.hardening;
  exports dev.weir.memory.jmx;
  exports dev.weir.memory.pressure;
  exports dev.weir.memory.profile;
  exports dev.weir.memory.purge;
  exports dev.weir.memory.view;
  exports dev.weir.memory.array to
      dev.weir.netty;
  exports dev.weir.memory.heap to
      dev.weir.netty;
  exports dev.weir.memory.os to
      dev.weir.netty;
  exports dev.weir.memory.sampling to
      dev.weir.netty;
  exports dev.weir.memory.callback to
      dev.weir.server;
}
