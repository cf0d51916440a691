package dev.weir.lab.replicate;

import dev.weir.lab.options.Checks;
import dev.weir.lab.options.Converters;
import dev.weir.lab.options.JsonOption;
import dev.weir.lab.report.ProgressLine;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code weir bench replicate}. */
@Command(
    name = "replicate",
    description = {
      "Copies a container of random bytes over loopback, from memory to memory: Weir's commands,",
      "Netty's file regions, a sendfile pair in C with and without CRC32C, and nginx.",
      "Both sides are processes of their own. The peers take turns in each round. Weir's figures",
      "have all that a fetch does: manifest, checksums, sync, rename; the others move bytes."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  weir bench replicate --quick",
      "  weir bench replicate --size 1G --rounds 5 --json replicate.jsonl",
      "  weir bench replicate --peers weir --protocols tls --connections 1"
    })
public final class ReplicateBenchCommand implements Callable<Integer> {
  private static final long LEAST_BYTES = 1 << 20;
  private static final long QUICK_BYTES = 256L << 20;

  @Spec private CommandSpec spec;

  @Option(
      names = "--peers",
      split = ",",
      converter = OfPeer.class,
      defaultValue = "weir,netty,c,c+crc,nginx",
      paramLabel = "NAME",
      description = "Who copies (default: ${DEFAULT-VALUE}). Whoever is not installed is left out.")
  private List<Peer> peers;

  @Option(
      names = "--protocols",
      split = ",",
      defaultValue = "clear,tls",
      paramLabel = "HOW",
      description = "clear, tls (default: ${DEFAULT-VALUE}).")
  private List<String> protocols;

  @Option(
      names = "--connections",
      split = ",",
      defaultValue = "1,10",
      paramLabel = "N",
      description = "How many at once (default: ${DEFAULT-VALUE}).")
  private List<Integer> connections;

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
      description = "In it; with more than one only Weir copies (default: ${DEFAULT-VALUE}).")
  private int files;

  @Option(
      names = "--copies",
      defaultValue = "5",
      paramLabel = "N",
      description = "Of each line in each round (default: ${DEFAULT-VALUE}).")
  private int copies;

  @Option(
      names = "--rounds",
      defaultValue = "3",
      paramLabel = "N",
      description = "In which the lines take turns (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(names = "--quick", description = "256M, 2 copies, 1 round: to see that it works.")
  private boolean quick;

  @Option(
      names = "--seed",
      defaultValue = "1",
      paramLabel = "N",
      description = "Of the bytes (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "On a file system in memory (default: /dev/shm, where there is one).")
  private @Nullable Path directory;

  @Mixin private JsonOption json;

  /** Made by picocli. */
  public ReplicateBenchCommand() {}

  /** Labels of peers. */
  static final class OfPeer extends Converters<Peer> {
    OfPeer() {
      super(Peer::of);
    }
  }

  @Override
  public Integer call() throws IOException {
    Checks checks = new Checks(spec);
    checks.require(size >= LEAST_BYTES, "--size", "at least 1M");
    checks.require(files > 0, "--files", "positive");
    checks.require(copies > 0 && rounds > 0, "--copies and --rounds", "positive");
    checks.require(
        connections.stream().allMatch(n -> n > 0 && n <= 60), "--connections", "in 1..60");
    checks.require(
        List.of("clear", "tls").containsAll(protocols), "--protocols", "clear, tls or both");
    json.require(checks);
    Path memory = Path.of("/dev/shm");
    Path parent =
        directory != null
            ? directory
            : Files.isWritable(memory) ? memory : Path.of(System.getProperty("java.io.tmpdir"));
    Path folder = Files.createTempDirectory(parent, "weir-bench-");
    Thread cleaner = new Thread(() -> removeQuietly(folder), "weir-bench-clean");
    Runtime.getRuntime().addShutdownHook(cleaner);
    try {
      return run(folder);
    } finally {
      removeQuietly(folder);
    }
  }

  private static void removeQuietly(Path folder) {
    try {
      Folders.delete(folder);
    } catch (IOException e) {
      System.getLogger(ReplicateBenchCommand.class.getName())
          .log(System.Logger.Level.WARNING, "cannot remove " + folder, e);
    }
  }

  private int run(Path folder) throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    long fileBytes = (quick ? Math.min(size, QUICK_BYTES) : size) / files;
    Path container = folder.resolve(SenderMain.NAME);
    Workshop.fill(container, files, fileBytes, seed);
    CopyPlan.Load load =
        new CopyPlan.Load(
            folder,
            container,
            fileBytes * files,
            quick ? Math.min(2, copies) : copies,
            Workshop.compile(folder),
            CopyRun.freePort());
    List<CopyPlan> plans = plans(load, out);
    int turns = (quick ? 1 : rounds) * plans.size();
    ProgressLine line = ProgressLine.onTerminal();
    List<Map<String, @Nullable Object>> rows = new ArrayList<>();
    for (int turn = 0; turn < turns; turn++) {
      CopyPlan plan = plans.get(turn % plans.size());
      line.show(plan.protocol() + " " + plan.peer().label(), turn, turns, "");
      rows.add(CopyRun.measure(plan, load, turn / plans.size()));
      json.write(rows);
    }
    line.clear();
    out.print(CopyTable.render(rows, spec.commandLine().getColorScheme().ansi()));
    out.flush();
    return 0;
  }

  private List<CopyPlan> plans(CopyPlan.Load load, PrintWriter out) throws IOException {
    Certificate certificate =
        protocols.contains("tls") ? Workshop.certificate(load.folder()) : null;
    List<CopyPlan> plans = new ArrayList<>();
    for (String protocol : protocols) {
      for (int count : connections) {
        for (Peer peer : peers) {
          boolean secure = protocol.equals("tls");
          if (isHere(peer, load) && (peer.hasTls() || !secure)) {
            plans.add(new CopyPlan(peer, count, secure ? certificate : null));
          }
        }
      }
    }
    for (Peer peer : peers) {
      if (!isHere(peer, load)) {
        out.printf("%s is left out: %s%n", peer.label(), whyNot(peer));
      }
    }
    out.flush();
    return plans;
  }

  private boolean isHere(Peer peer, CopyPlan.Load load) {
    if (peer != Peer.WEIR && files > 1) {
      return false;
    }
    return switch (peer) {
      case C, C_CRC -> load.program() != null;
      case NGINX -> isOnPath("nginx");
      case WEIR, NETTY -> true;
    };
  }

  private String whyNot(Peer peer) {
    return files > 1
        ? "it copies one file"
        : peer == Peer.NGINX
            ? "there is no nginx on the PATH"
            : "there is no cc on the PATH that makes SSE4.2";
  }

  private static boolean isOnPath(String program) {
    String path = System.getenv().getOrDefault("PATH", "");
    return Stream.of(path.split(":")).anyMatch(dir -> Files.isExecutable(Path.of(dir, program)));
  }
}
