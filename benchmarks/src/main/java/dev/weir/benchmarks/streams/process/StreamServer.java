package dev.weir.benchmarks.streams.process;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A server that speaks the Durable Streams protocol.
 *
 * @param label its name in reports
 * @param launch how it is started
 * @param missing why this machine cannot measure it; empty if it can
 */
public record StreamServer(String label, Launch launch, Optional<String> missing) {
  /** The name of this project's node. */
  public static final String WEIR = "weir";

  /** The name of the server in Rust. */
  public static final String RUST = "rust";

  /** What the launcher gives the JVM of a node. */
  public static final List<String> NODE_FLAGS =
      List.of(
          "--enable-native-access=ALL-UNNAMED",
          "-XX:+UseCompactObjectHeaders",
          "-Xms64m",
          "-Xmx512m",
          "-XX:+ExitOnOutOfMemoryError");

  /** What the launcher keeps beside the program, for quick starts. */
  private static final String CACHE = "weir.aot";

  private static final String NODE_MAIN = "dev.weir.cli.Main";
  private static final String RUST_PROGRAM = "durable-streams-server";

  /** The command line of a server. */
  @FunctionalInterface
  public interface Launch {
    /**
     * Names the program and its arguments.
     *
     * @param data where it keeps what it stores
     * @param port where it listens, on 127.0.0.1
     */
    List<String> command(Path data, int port);
  }

  /** This node, from the class path of this JVM, with more flags for {@code serve}. */
  public static StreamServer weir(List<String> serveFlags) {
    return weir(NODE_MAIN, List.of("serve"), serveFlags);
  }

  /** The same by another main class, which may need other words in front of the flags. */
  public static StreamServer weir(String main, List<String> words, List<String> serveFlags) {
    Launch launch =
        (data, port) -> {
          List<String> command = new ArrayList<>();
          command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
          command.addAll(NODE_FLAGS);
          String classPath = System.getProperty("java.class.path");
          // The launcher's class path is one jar.
          Path cache = Path.of(classPath).resolveSibling(CACHE);
          if (Files.exists(cache)) {
            command.add("-XX:AOTCache=" + cache);
          }
          command.addAll(List.of("-cp", classPath, main));
          command.addAll(words);
          command.addAll(List.of("--port", Integer.toString(port), "--data", data.toString()));
          command.addAll(serveFlags);
          return command;
        };
    return new StreamServer(WEIR, launch, Optional.empty());
  }

  /** The server in Rust, with its defaults: durable, with group commit and sendfile. */
  public static StreamServer rust() {
    Optional<Path> program = onPath(RUST_PROGRAM);
    Launch launch =
        (data, port) ->
            List.of(
                program.map(Path::toString).orElse(RUST_PROGRAM),
                "--host",
                "127.0.0.1",
                "--port",
                Integer.toString(port),
                "--data-dir",
                data.toString());
    Optional<String> missing =
        program.isPresent()
            ? Optional.empty()
            : Optional.of(
                "%s: there is no %s on the PATH; cargo install durable-streams --version 0.1.5"
                    .formatted(RUST, RUST_PROGRAM));
    return new StreamServer(RUST, launch, missing);
  }

  /** The program that the shell would start by this name. */
  public static Optional<Path> onPath(String name) {
    String path = System.getenv("PATH");
    return Pattern.compile(File.pathSeparator)
        .splitAsStream(path == null ? "" : path)
        .map(folder -> Path.of(folder, name))
        .filter(program -> Files.isExecutable(program) && Files.isRegularFile(program))
        .findFirst();
  }

  /** The same with more arguments. */
  public StreamServer with(List<String> more) {
    Launch longer =
        (data, port) -> {
          List<String> command = new ArrayList<>(launch.command(data, port));
          command.addAll(more);
          return command;
        };
    return new StreamServer(label, longer, missing);
  }

  /** Whether it is this project's, whose pool can be asked for. */
  public boolean isWeir() {
    return label.equals(WEIR);
  }
}
