package dev.weir.lab.replicate;

import dev.weir.lab.options.Checks;
import dev.weir.lab.options.Converters;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What is copied, how often, and through what. */
final class LoadOptions {
  private static final long LEAST_BYTES = 1 << 20;
  private static final long QUICK_BYTES = 256L << 20;
  private static final int MOST_CONNECTIONS = 60;

  /** What Netty's buffers may take at most: far more than either side needs. */
  private static final long DIRECT_BYTES = 512L << 20;

  @Option(
      names = "--size",
      converter = Converters.OfBytes.class,
      defaultValue = "1G",
      paramLabel = "SIZE",
      description = "Of the container (default: ${DEFAULT-VALUE}).")
  private long size;

  @Option(
      names = "--files",
      defaultValue = "1",
      paramLabel = "N",
      description =
          "In it; with more than one only Weir and gRPC copy (default: ${DEFAULT-VALUE}).")
  private int files;

  @Option(
      names = "--file-size",
      converter = Converters.OfBytes.class,
      paramLabel = "SIZE",
      description = "Of each file, instead of --size.")
  private @Nullable Long fileSize;

  @Option(
      names = {"-n", "--containers", "--copies"},
      defaultValue = "5",
      paramLabel = "N",
      description = "How many copies a line makes in each round (default: ${DEFAULT-VALUE}).")
  private int containers;

  @Option(
      names = {"-t", "--threads"},
      defaultValue = "1",
      paramLabel = "N",
      description = "How many copies at a time (default: ${DEFAULT-VALUE}). The C pair makes one.")
  private int threads;

  @Option(
      names = "--arrivals",
      defaultValue = "0",
      paramLabel = "RATE",
      description =
          "Open loop: so many copies begin a second, at random times. One that waits for a thread"
              + " counts from its arrival. Default: the next begins when one has ended.")
  private double arrivals;

  @Option(
      names = "--rate",
      converter = Converters.OfBytes.class,
      paramLabel = "BYTES",
      description = "A second, as the receiver's limit. Weir and gRPC only.")
  private @Nullable Long rate;

  @Option(
      names = "--cut-every",
      defaultValue = "0",
      paramLabel = "SECONDS",
      description = "Through a proxy that cuts all connections so often.")
  private double cutSeconds;

  @Option(
      names = "--compressible",
      defaultValue = "0",
      paramLabel = "SHARE",
      description = "Of the bytes, in 0..1 (default: ${DEFAULT-VALUE}).")
  private double compressible;

  @Option(
      names = "--seed",
      defaultValue = "1",
      paramLabel = "N",
      description = "Of the bytes and the arrivals (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(names = "--quick", description = "256M, 2 copies, 1 round: to see that it works.")
  private boolean quick;

  LoadOptions() {}

  void require(Checks checks, int mostConnections) {
    checks.require(files > 0, "--files", "positive");
    checks.require(fileBytes() * files >= LEAST_BYTES, "--size", "at least 1M");
    checks.require(containers > 0, "--containers", "positive");
    checks.require(
        threads > 0 && threads * mostConnections <= MOST_CONNECTIONS,
        "--threads",
        "positive, and with --connections for each at most " + MOST_CONNECTIONS);
    checks.require(arrivals >= 0, "--arrivals", "positive");
    checks.require(cutSeconds >= 0, "--cut-every", "positive");
    checks.require(compressible >= 0 && compressible <= 1, "--compressible", "in 0..1");
  }

  boolean isQuick() {
    return quick;
  }

  int files() {
    return files;
  }

  long fileBytes() {
    if (fileSize != null) {
      return fileSize;
    }
    return (quick ? Math.min(size, QUICK_BYTES) : size) / files;
  }

  double compressible() {
    return compressible;
  }

  long seed() {
    return seed;
  }

  CopyLoad load() {
    return new CopyLoad(
        quick ? Math.min(2, containers) : containers,
        threads,
        arrivals,
        seed,
        rate == null ? 0 : rate,
        DIRECT_BYTES,
        CopyLoad.BUDGET_BYTES,
        (int) Math.round(cutSeconds * 1000));
  }

  /** Why a peer cannot copy so; null if it can. */
  @Nullable String whyNot(Peer peer) {
    if (peer.isWhole()) {
      return null;
    }
    if (files > 1) {
      return "it copies one file";
    }
    if (rate != null) {
      return "it knows no limit of a rate";
    }
    return peer.isC() && (threads > 1 || arrivals > 0) ? "it copies one at a time" : null;
  }
}
