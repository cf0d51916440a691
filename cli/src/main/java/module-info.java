/** The weir command: serve, doctor, replicate, lab and bench behind one entry point. */
module dev.weir.cli {
  requires static org.jspecify;
  requires dev.weir.benchmarks;
  requires dev.weir.lab;
  requires dev.weir.objects.s3;
  requires dev.weir.replication;
  requires dev.weir.server;
  requires dev.weir.streams;
  requires info.picocli;

  opens dev.weir.cli to
      info.picocli;
  opens dev.weir.cli.doctor to
      info.picocli;
}
