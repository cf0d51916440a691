package dev.weir.lab.blindspot;

import dev.weir.lab.child.ChildJvm;
import dev.weir.lab.child.ServiceFlags;
import dev.weir.lab.options.Checks;
import dev.weir.lab.options.Converters;
import dev.weir.lab.options.LimitOption;
import dev.weir.lab.report.JsonLines;
import dev.weir.lab.subject.Subject;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code weir lab run blind-spot}. */
@Command(
    name = "blind-spot",
    description = {
      "Four features, one of which leaks: what is true, and what the allocator says.",
      "Prints what the kernel says as well. Each allocator runs in a JVM of its own."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  weir lab run blind-spot",
      "  weir lab run blind-spot --seconds 60"
    })
public final class BlindSpotCommand implements Callable<Integer> {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @Spec private CommandSpec spec;

  @Option(
      names = "--allocators",
      split = ",",
      converter = Converters.OfSubject.class,
      defaultValue = "netty-pooled,netty-adaptive,weir",
      paramLabel = "NAME",
      description = "What to ask, in this order (default: ${DEFAULT-VALUE}).")
  private List<Subject> allocators;

  @Option(
      names = "--seconds",
      defaultValue = "45",
      paramLabel = "N",
      description = "How long each runs (default: ${DEFAULT-VALUE}).")
  private int seconds;

  @Option(
      names = "--leak",
      converter = Converters.OfBytes.class,
      defaultValue = "1000000",
      paramLabel = "SIZE",
      description = "Bytes a second that one feature forgets (default: ${DEFAULT-VALUE}).")
  private long leakedBytesPerSecond;

  @Option(
      names = "--leak-age",
      defaultValue = "30",
      paramLabel = "SECONDS",
      description = "What is older and grows is suspected (default: ${DEFAULT-VALUE}).")
  private int leakAgeSeconds;

  @Mixin private LimitOption limit;

  /** Made by picocli. */
  public BlindSpotCommand() {}

  @Override
  public Integer call() throws IOException {
    Checks checks = new Checks(spec);
    checks.require(
        allocators.stream().noneMatch(Subject::isGated),
        "--allocators",
        "without '+gate': nothing asks for admission here");
    checks.require(seconds > 0 && seconds <= 3600, "--seconds", "between 1 and 3600");
    checks.require(
        leakAgeSeconds > 0 && leakAgeSeconds <= 3600, "--leak-age", "between 1 and 3600");
    long limitBytes = limit.atLeastMib(128, checks);
    checks.require(
        leakedBytesPerSecond <= (limitBytes - (112 << 20)) / seconds,
        "--leak",
        "small enough for the limit");
    BlindSpotPlan plan =
        new BlindSpotPlan(seconds, limitBytes, leakedBytesPerSecond, leakAgeSeconds);
    PrintWriter out = spec.commandLine().getOut();
    for (Subject subject : new LinkedHashSet<>(allocators)) {
      Map<String, Object> report = ask(subject, plan);
      out.println(subject.label());
      print(out, "true", report.get(BlindSpotChild.TRUTH));
      print(out, "it says", report.get(BlindSpotChild.ALLOCATOR));
      print(out, "kernel", report.get(BlindSpotChild.KERNEL));
      out.println();
      out.flush();
    }
    return 0;
  }

  private static Map<String, Object> ask(Subject subject, BlindSpotPlan plan) throws IOException {
    List<String> flags =
        ServiceFlags.within(plan.limitBytes(), "-Dio.netty.leakDetection.level=disabled");
    List<String> arguments = new ArrayList<>(List.of(subject.label()));
    arguments.addAll(plan.arguments());
    try (ChildJvm child = ChildJvm.start(BlindSpotChild.class, flags, arguments)) {
      return JsonLines.parse(child.receive(Duration.ofSeconds(plan.seconds()).plus(PATIENCE)));
    }
  }

  private static void print(PrintWriter out, String who, @Nullable Object lines) {
    String title = who;
    for (Object line : lines instanceof List<?> list ? list : List.of()) {
      out.printf("  %-8s %s%n", title, line);
      title = "";
    }
  }
}
