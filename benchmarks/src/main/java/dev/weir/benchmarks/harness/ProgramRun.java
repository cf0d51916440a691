package dev.weir.benchmarks.harness;

import dev.weir.benchmarks.peer.Peer;
import dev.weir.lab.child.ChildJvm;
import dev.weir.lab.child.ParentLines;
import dev.weir.lab.report.JsonLines;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures by a program of our own instead of JMH: a JVM for one peer in one cell, that reports its
 * {@link Figures} and ends. The benchmark of such a cell is the program's {@code main}.
 */
public final class ProgramRun {
  private static final String MAIN = ".main";
  private static final String DONE = "done";
  private static final Duration LIMIT = Duration.ofMinutes(5);

  /**
   * A small Java heap that is resident from the start, so that what is measured grows by buffers
   * alone.
   */
  private static final List<String> JVM_FLAGS =
      List.of(
          "-Xms128m",
          "-Xmx128m",
          "-XX:+UseSerialGC",
          "-XX:+AlwaysPreTouch",
          "-XX:MaxDirectMemorySize=2g",
          "--enable-native-access=ALL-UNNAMED",
          "-Dio.netty.noUnsafe=true");

  /** What the program does in its JVM. */
  @FunctionalInterface
  public interface Program {
    /** Measures a peer in a cell of these parameters; {@code iteration} is the effort's. */
    void measure(Peer peer, Map<String, String> parameters, Duration iteration) throws Exception;
  }

  private ProgramRun() {}

  static boolean isFor(Cell cell) {
    return cell.benchmark().endsWith(MAIN);
  }

  /**
   * Runs the program of a cell until it is done.
   *
   * @throws IOException if it fails
   */
  static void measure(Cell cell, Peer peer, Duration iteration, List<String> moreFlags)
      throws IOException {
    List<String> flags = new ArrayList<>(JVM_FLAGS);
    flags.addAll(moreFlags);
    List<String> arguments =
        List.of(peer.label(), JsonLines.line(cell.parameters()), iteration.toString());
    try (ChildJvm child = ChildJvm.start(main(cell), flags, arguments)) {
      child.receive(LIMIT);
    } catch (IOException failed) {
      throw new IOException(
          "%s in %s %s: %s"
              .formatted(
                  peer.label(), cell.suite(), cell.parameters().values(), failed.getMessage()),
          failed);
    }
  }

  private static Class<?> main(Cell cell) {
    String name = cell.benchmark();
    try {
      return Class.forName(name.substring(0, name.length() - MAIN.length()));
    } catch (ClassNotFoundException missing) {
      throw new IllegalArgumentException(missing);
    }
  }

  /** What the {@code main} of a program does; does not return. */
  public static void serve(String[] arguments, Program program) {
    ParentLines parent = new ParentLines();
    parent.endWithParent();
    try {
      Map<String, String> parameters = new LinkedHashMap<>();
      JsonLines.parse(arguments[1])
          .forEach((name, value) -> parameters.put(name, String.valueOf(value)));
      program.measure(Peer.of(arguments[0]), parameters, Duration.parse(arguments[2]));
      parent.say(DONE);
      System.exit(0);
    } catch (Throwable failed) {
      System.err.println(failed);
      System.exit(1);
    }
  }
}
