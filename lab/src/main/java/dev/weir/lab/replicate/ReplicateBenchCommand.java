package dev.weir.lab.replicate;

import dev.weir.lab.files.WholeFile;
import dev.weir.lab.options.Checks;
import dev.weir.lab.options.Converters;
import dev.weir.lab.options.JsonOption;
import dev.weir.lab.report.LabReport;
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
      "Copies a container of random bytes over loopback, from memory to memory.",
      "Peers: Weir's commands, Netty's file regions, a sendfile pair in C with and without CRC32C,",
      "nginx, and gRPC.",
      "Both sides are processes of their own. The peers take turns in each round. Weir's figures",
      "have all that a fetch does: manifest, checksums, sync, rename. gRPC checks and syncs too;",
      "the others move bytes."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  weir bench replicate --quick",
      "  weir bench replicate --size 1G --rounds 5 --json replicate.jsonl",
      "  weir bench replicate --peers weir,grpc,grpc+weir,grpc-naive --protocols clear",
      "  weir bench replicate --peers weir,grpc -t 4 -n 40 --files 100 --file-size 1M --arrivals 5",
      "  weir bench replicate --peers weir --size 2G -n 1 --rate 100M --cut-every 3 --rounds 1"
    })
public final class ReplicateBenchCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--peers",
      split = ",",
      converter = OfPeer.class,
      defaultValue = "weir,netty,c,c+crc,nginx,grpc",
      paramLabel = "NAME",
      description =
          "Who copies (default: ${DEFAULT-VALUE}). Also grpc+weir, grpc+adaptive: on other"
              + " allocators; grpc-polled, grpc-naive: other ways to push. Those not installed are"
              + " left out.")
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
      names = "--rounds",
      defaultValue = "3",
      paramLabel = "N",
      description = "In which the lines take turns (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "On a file system in memory (default: /dev/shm, where there is one).")
  private @Nullable Path directory;

  @Option(
      names = "--csv",
      paramLabel = "FILE",
      description = "Also writes the rows into this file as CSV.")
  private @Nullable Path csv;

  @Mixin private LoadOptions load;
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
    checks.require(rounds > 0, "--rounds", "positive");
    checks.require(
        connections.stream().allMatch(n -> n > 0 && n <= 60), "--connections", "in 1..60");
    checks.require(
        List.of("clear", "tls").containsAll(protocols), "--protocols", "clear, tls or both");
    load.require(checks, connections.stream().mapToInt(n -> n).max().orElse(1));
    json.require(checks);
    checks.requireWritable(csv, "--csv");
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
    Path container = folder.resolve(SenderMain.NAME);
    Workshop.fill(container, load.files(), load.fileBytes(), load.seed(), load.compressible());
    CopyPlan.Load all =
        new CopyPlan.Load(
            folder,
            container,
            load.files(),
            load.fileBytes(),
            Workshop.compile(folder),
            CopySides.freePort(),
            load.load());
    List<CopyPlan> plans = plans(all, out);
    int turns = (load.isQuick() ? 1 : rounds) * plans.size();
    ProgressLine line = ProgressLine.everywhere();
    List<Map<String, @Nullable Object>> rows = new ArrayList<>();
    for (int turn = 0; turn < turns; turn++) {
      CopyPlan plan = plans.get(turn % plans.size());
      line.show(plan.protocol() + " " + plan.peer().label(), turn, turns, "");
      rows.add(CopyRun.measure(plan, all, turn / plans.size()));
      json.write(rows);
      if (csv != null) {
        WholeFile.write(csv, LabReport.csv(rows));
      }
    }
    line.clear();
    out.print(CopyTable.render(rows, spec.commandLine().getColorScheme().ansi()));
    out.flush();
    return 0;
  }

  private List<CopyPlan> plans(CopyPlan.Load all, PrintWriter out) throws IOException {
    Certificate certificate = protocols.contains("tls") ? Workshop.certificate(all.folder()) : null;
    List<Peer> able = new ArrayList<>();
    for (Peer peer : peers) {
      String why = whyNot(peer, all);
      if (why == null) {
        able.add(peer);
      } else {
        out.printf("%s is left out: %s%n", peer.label(), why);
      }
    }
    out.flush();
    List<CopyPlan> plans = new ArrayList<>();
    for (String protocol : protocols) {
      boolean secure = protocol.equals("tls");
      for (int count : connections) {
        for (Peer peer : able) {
          if (peer.hasTls() || !secure) {
            plans.add(new CopyPlan(peer, count, secure ? certificate : null));
          }
        }
      }
    }
    return plans;
  }

  private @Nullable String whyNot(Peer peer, CopyPlan.Load all) {
    if (peer.isC() && all.program() == null) {
      return "there is no cc on the PATH that makes SSE4.2";
    }
    if (peer == Peer.NGINX && !isOnPath("nginx")) {
      return "there is no nginx on the PATH";
    }
    return load.whyNot(peer);
  }

  private static boolean isOnPath(String program) {
    String path = System.getenv().getOrDefault("PATH", "");
    return Stream.of(path.split(":")).anyMatch(dir -> Files.isExecutable(Path.of(dir, program)));
  }
}
