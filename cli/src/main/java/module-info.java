/** The weir command: serve, replicate, lab and bench behind one entry point. */
module dev.weir.cli {
  requires static org.jspecify;
  requires dev.weir.benchmarks;
  requires dev.weir.lab;
  requires dev.weir.replication;
  requires dev.weir.server;
  requires info.picocli;

  opens dev.weir.cli to
      info.picocli;
}
