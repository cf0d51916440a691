package dev.weir.lab.replicate;

import dev.weir.lab.child.ServiceFlags;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Measures one line: both sides are started, copy once to warm up, whose result is compared with
 * the source, and then as often as the load says.
 */
final class CopyRun {
  private static final double MEGABYTE = 1e6;
  private static final double NANOS = 1e9;
  private static final double GIB = 1 << 30;

  /** What Netty's buffers may take at most: far more than either side needs. */
  private static final long DIRECT_BYTES = 512L << 20;

  /**
   * As {@code ./weir replicate} has it: what C2 makes faster is little, and it takes a processor.
   */
  private static final String COMPILER = "-XX:TieredStopAtLevel=1";

  private CopyRun() {}

  static Map<String, @Nullable Object> measure(CopyPlan plan, CopyPlan.Load load, int round)
      throws IOException {
    try (CopyProcess sender = CopyProcess.start(sender(plan, load), load.folder())) {
      int port = plan.peer() == Peer.NGINX ? load.nginxPort() : port(sender);
      try (CopyProcess receiver = CopyProcess.start(receiver(plan, load, port), load.folder())) {
        receiver.next("ready");
        copy(receiver, load);
        requireSame(load);
        Folders.delete(load.target());
        double senderCpu = sender.cpuSeconds();
        double receiverCpu = receiver.cpuSeconds();
        long[] nanos = new long[load.copies()];
        long pool = 0;
        for (int i = 0; i < nanos.length; i++) {
          List<String> done = copy(receiver, load);
          nanos[i] = Long.parseLong(done.get(1));
          pool = Math.max(pool, Long.parseLong(done.get(2)));
          Folders.delete(load.target());
        }
        Map<String, @Nullable Object> row = figures(plan, load, nanos);
        row.put("round", round);
        double gib = load.bytes() * nanos.length / GIB;
        row.put("senderCpuSecondsPerGib", (sender.cpuSeconds() - senderCpu) / gib);
        row.put("receiverCpuSecondsPerGib", (receiver.cpuSeconds() - receiverCpu) / gib);
        row.put("senderPeakRssBytes", sender.peakRssBytes());
        row.put("receiverPeakRssBytes", receiver.peakRssBytes());
        row.put("receiverPoolBytes", pool);
        row.put("senderPoolBytes", pool(plan, sender));
        return row;
      }
    } finally {
      Folders.delete(load.target());
    }
  }

  private static long pool(CopyPlan plan, CopyProcess sender) throws IOException {
    if (plan.peer().isC() || plan.peer() == Peer.NGINX) {
      return 0;
    }
    sender.say("figures");
    return Long.parseLong(sender.next("figures").get(1));
  }

  private static int port(CopyProcess sender) throws IOException {
    return Integer.parseInt(sender.next("ready").get(1));
  }

  private static List<String> copy(CopyProcess receiver, CopyPlan.Load load) throws IOException {
    Files.createDirectories(load.target());
    receiver.say("copy");
    return receiver.next("done");
  }

  /** Each file of the copy is that of the source: of one file where a peer copies only one. */
  private static void requireSame(CopyPlan.Load load) throws IOException {
    Path one = load.target().resolve("copy");
    if (Files.exists(one)) {
      requireSame(load.container().resolve("0"), one);
      return;
    }
    try (Stream<Path> files = Files.list(load.container())) {
      for (Path file : (Iterable<Path>) files::iterator) {
        requireSame(
            file,
            load.target().resolve(SenderMain.NAME).resolve(String.valueOf(file.getFileName())));
      }
    }
  }

  private static void requireSame(Path source, Path copy) throws IOException {
    if (Files.mismatch(source, copy) != -1) {
      throw new IOException(copy + " is not what was copied");
    }
  }

  private static Map<String, @Nullable Object> figures(
      CopyPlan plan, CopyPlan.Load load, long[] nanos) {
    long[] sorted = nanos.clone();
    Arrays.sort(sorted);
    double sum = Arrays.stream(nanos).sum() / NANOS;
    double mean = sum / nanos.length;
    double variance =
        Arrays.stream(nanos).mapToDouble(n -> Math.pow(n / NANOS - mean, 2)).average().orElse(0);
    Map<String, @Nullable Object> row = new LinkedHashMap<>();
    row.put("peer", plan.peer().label());
    row.put("protocol", plan.protocol());
    row.put("connections", plan.connections());
    row.put("verified", plan.peer().verifies());
    row.put("bytes", load.bytes());
    row.put("copies", nanos.length);
    row.put("runMegabytesPerSecond", load.bytes() * nanos.length / MEGABYTE / sum);
    row.put("medianMegabytesPerSecond", load.bytes() / MEGABYTE / at(sorted, 0.5));
    row.put("minSeconds", at(sorted, 0));
    row.put("meanSeconds", mean);
    row.put("maxSeconds", at(sorted, 1));
    row.put("stddevSeconds", Math.sqrt(variance));
    row.put("p50Seconds", at(sorted, 0.5));
    row.put("p75Seconds", at(sorted, 0.75));
    row.put("p95Seconds", at(sorted, 0.95));
    row.put("p98Seconds", at(sorted, 0.98));
    row.put("p99Seconds", at(sorted, 0.99));
    row.put("p999Seconds", at(sorted, 0.999));
    return row;
  }

  /** A percentile by the nearest rank. */
  private static double at(long[] sorted, double share) {
    int rank = (int) Math.ceil(share * sorted.length);
    return sorted[Math.max(0, rank - 1)] / NANOS;
  }

  private static List<String> sender(CopyPlan plan, CopyPlan.Load load) throws IOException {
    if (plan.peer().isC()) {
      return List.of(program(load), "send", load.container().resolve("0").toString());
    }
    if (plan.peer() == Peer.NGINX) {
      Path settings = Workshop.nginx(load.folder(), load.container(), load.nginxPort(), plan.tls());
      return List.of("nginx", "-c", settings.toString(), "-p", load.folder().toString());
    }
    return java(
        SenderMain.class,
        plan.peer().label(),
        load.container().toString(),
        plan.certificate(),
        plan.key());
  }

  private static List<String> receiver(CopyPlan plan, CopyPlan.Load load, int port) {
    if (plan.peer().isC()) {
      return List.of(
          program(load),
          "receive",
          Integer.toString(port),
          load.target().resolve("copy").toString(),
          Long.toString(load.bytes()),
          Integer.toString(plan.connections()),
          plan.peer() == Peer.C_CRC ? "1" : "0");
    }
    return java(
        ReceiverMain.class,
        plan.peer().label(),
        Integer.toString(port),
        load.target().toString(),
        "/0",
        Long.toString(load.bytes()),
        Integer.toString(plan.connections()),
        plan.certificate());
  }

  private static String program(CopyPlan.Load load) {
    if (load.program() == null) {
      throw new IllegalStateException("there is no C compiler here");
    }
    return load.program().toString();
  }

  private static List<String> java(Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ServiceFlags.within(DIRECT_BYTES));
    command.removeIf(flag -> flag.equals("-XX:+AlwaysPreTouch") || flag.startsWith("-Xms"));
    command.add(COMPILER);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    return command;
  }

  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
