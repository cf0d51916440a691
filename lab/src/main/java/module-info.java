/** Evidence: scenarios and traces that compare allocators, each in a JVM of its own. */
@SuppressWarnings("module") // The benchmarks and the command are compiled later.
module dev.weir.lab {
  requires static org.jspecify;
  requires HdrHistogram;
  requires com.github.luben.zstd_jni;
  requires dev.weir.cache;
  requires dev.weir.compression;
  requires dev.weir.netty;
  requires dev.weir.replication;
  requires transitive info.picocli;
  requires io.grpc;
  requires io.grpc.netty;
  requires io.grpc.stub;
  requires io.netty.buffer;
  requires io.netty.codec.compression;
  requires io.netty.codec.http;
  requires io.netty.common;
  requires io.netty.handler;
  requires io.netty.transport;
  requires java.management;
  requires jdk.jfr;
  requires jdk.management;
  requires tools.jackson.jr.ob;

  exports dev.weir.lab;
  exports dev.weir.lab.child to
      dev.weir.benchmarks;
  exports dev.weir.lab.contender to
      dev.weir.benchmarks;
  exports dev.weir.lab.files to
      dev.weir.benchmarks;
  exports dev.weir.lab.memory to
      dev.weir.benchmarks;
  exports dev.weir.lab.options to
      dev.weir.benchmarks;
  exports dev.weir.lab.replicate to
      dev.weir.benchmarks;
  exports dev.weir.lab.report to
      dev.weir.benchmarks,
      dev.weir.cli;

  opens dev.weir.lab to
      info.picocli;
  opens dev.weir.lab.blindspot to
      info.picocli;
  opens dev.weir.lab.cachefragmentation to
      info.picocli;
  opens dev.weir.lab.compressed to
      info.picocli;
  opens dev.weir.lab.httpburst to
      info.picocli;
  opens dev.weir.lab.options to
      info.picocli;
  opens dev.weir.lab.recording to
      info.picocli;
  opens dev.weir.lab.replay to
      info.picocli;
  opens dev.weir.lab.accumulate to
      info.picocli;
  opens dev.weir.lab.all to
      info.picocli;
  opens dev.weir.lab.gateway to
      info.picocli;
  opens dev.weir.lab.explain to
      info.picocli;
  opens dev.weir.lab.peer to
      info.picocli;
  opens dev.weir.lab.perthread to
      info.picocli;
  opens dev.weir.lab.scenario to
      info.picocli;
  opens dev.weir.lab.replicate to
      info.picocli;
  opens dev.weir.lab.slowclients to
      info.picocli;
}
