package dev.weir.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A node in a process of its own. */
final class NodeProcess implements AutoCloseable {
  private static final Pattern ADDRESS =
      Pattern.compile("listening on http://127\\.0\\.0\\.1:(\\d+)/.*");

  final Process process;
  final int port;
  private final BufferedReader out;

  NodeProcess(Path data) throws IOException {
    this(launch("--port", "0", "--data", data.toString(), "--budget", "32M"));
  }

  /** With these arguments of {@code serve}, of which one is {@code --port 0}. */
  static NodeProcess with(List<String> arguments) throws IOException {
    return new NodeProcess(launch(arguments.toArray(String[]::new)));
  }

  /** With a small heap, and else with the flags of {@code ./weir serve}. */
  static NodeProcess withSmallHeap(Path data) throws IOException {
    return withSmallHeap(List.of("--port", "0", "--data", data.toString(), "--budget", "32M"));
  }

  /** The same with these arguments of {@code serve}. */
  static NodeProcess withSmallHeap(List<String> arguments) throws IOException {
    List<String> flags = launcherFlags();
    flags.add("-Xmx64m");
    return new NodeProcess(launch(flags, FillingMain.class, arguments.toArray(String[]::new)));
  }

  private NodeProcess(Process process) throws IOException {
    this.process = process;
    out = process.inputReader();
    StringBuilder before = new StringBuilder();
    int listensAt = 0;
    while (listensAt == 0) {
      String line = out.readLine();
      if (line == null) {
        process.destroyForcibly();
        throw new IOException("the node did not start: " + before);
      }
      // The JVM may have something to say first.
      before.append(line).append('\n');
      Matcher address = ADDRESS.matcher(line);
      listensAt = address.find() ? Integer.parseInt(address.group(1)) : 0;
    }
    port = listensAt;
  }

  static Process launch(String... arguments) throws IOException {
    return launch(
        List.of("--enable-native-access=ALL-UNNAMED", "-Xmx256m"), ServeMain.class, arguments);
  }

  private static Process launch(List<String> flags, Class<?> main, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  /** What the launcher gives the JVM of a node. */
  private static List<String> launcherFlags() throws IOException {
    String script = Files.readString(Path.of("..", "weir"));
    int start = script.indexOf("jvm_flags() {");
    String function = script.substring(start, script.indexOf("\n}\n", start) + 3);
    Process shell = new ProcessBuilder("bash", "-c", function + "jvm_flags serve").start();
    try (BufferedReader lines = shell.inputReader()) {
      return new ArrayList<>(lines.lines().toList());
    }
  }

  /** Fills the small heap. */
  void fillHeap() throws IOException {
    process.getOutputStream().write('\n');
    process.getOutputStream().flush();
  }

  InetSocketAddress address() {
    return new InetSocketAddress("127.0.0.1", port);
  }

  URI uri(String target) {
    return URI.create("http://127.0.0.1:" + port + target);
  }

  /** Sends SIGTERM, and leaves the output readable, unlike {@link Process#destroy}. */
  void terminate() {
    process.toHandle().destroy();
  }

  /** Reads on to a line of this form, and returns its first group. */
  String await(String form) throws IOException {
    Pattern wanted = Pattern.compile(form);
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      Matcher found = wanted.matcher(line);
      if (found.matches()) {
        return found.group(1);
      }
    }
    throw new IOException("no line like " + form);
  }

  /** The rest of what the process prints, up to its end. */
  String output() throws IOException {
    StringBuilder all = new StringBuilder();
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      all.append(line).append('\n');
    }
    return all.toString();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
