package dev.weir.lab;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;

/**
 * The lab's command in a JVM of its own: for what only a process has, signals and a surrounding.
 */
public final class LabProcess {
  private LabProcess() {}

  /** Runs the command. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new LabCommand()).execute(arguments));
  }

  /**
   * Starts it. Signals do what they do by default, also where this JVM runs in the background of a
   * script and ignores Ctrl-C.
   *
   * @param log takes what it says
   */
  public static Process start(Path log, Map<String, String> environment, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(LabProcess.class.getName());
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().putAll(environment);
    return builder.start();
  }
}
