package dev.weir.lab.child;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A JVM that this one started, on the same class path and with flags of its own. They exchange
 * lines over its standard input and output; what it writes to standard error is kept, and its end
 * is quoted when it fails. It ends with this object, or with this JVM. Used by one thread.
 */
public final class ChildJvm implements AutoCloseable {
  private static final int QUOTED_LINES = 5;

  private final Process process;
  private final OutputStream input;
  private final BufferedReader output;
  private final Path errors;
  private final Thread killer;

  private ChildJvm(Process process, Path errors) {
    this.process = process;
    this.errors = errors;
    this.input = new Input(process.getOutputStream());
    this.output = process.inputReader(UTF_8);
    this.killer = new Thread(process::destroyForcibly, "stop-child");
    Runtime.getRuntime().addShutdownHook(killer);
  }

  /**
   * Starts {@code main} of the class path of this JVM.
   *
   * @throws IOException if the process cannot be started
   */
  public static ChildJvm start(Class<?> main, List<String> jvmFlags, List<String> arguments)
      throws IOException {
    return start(main, jvmFlags, arguments, Map.of());
  }

  /**
   * As {@link #start(Class, List, List)}, with variables added to the environment.
   *
   * @throws IOException if the process cannot be started
   */
  public static ChildJvm start(
      Class<?> main, List<String> jvmFlags, List<String> arguments, Map<String, String> environment)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmFlags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(arguments);
    return start(command, environment);
  }

  /**
   * Starts a JVM by a command line of its own, with variables added to the environment.
   *
   * @throws IOException if the process cannot be started
   */
  public static ChildJvm start(List<String> command, Map<String, String> environment)
      throws IOException {
    Path errors = Files.createTempFile("weir-lab-", ".log");
    errors.toFile().deleteOnExit();
    try {
      ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
      builder.environment().putAll(environment);
      return new ChildJvm(builder.start(), errors);
    } catch (IOException notStarted) {
      Files.delete(errors);
      throw notStarted;
    }
  }

  /**
   * Sends a line to the child.
   *
   * @throws IOException if the child has ended
   */
  public void send(String line) throws IOException {
    input.write((line + "\n").getBytes(UTF_8));
    input.flush();
  }

  /**
   * Reads the next line of the child.
   *
   * @throws IOException if it ended, or wrote none within {@code limit}; quotes its last errors
   */
  public String receive(Duration limit) throws IOException {
    CompletableFuture<String> line = new CompletableFuture<>();
    Thread.startVirtualThread(() -> {
      try {
        line.complete(output.readLine());
      } catch (IOException broken) {
        line.completeExceptionally(broken);
      }
    });
    try {
      String text = line.get(limit.toNanos(), TimeUnit.NANOSECONDS);
      if (text != null) {
        return text;
      }
      throw endedEarly(null);
    } catch (TimeoutException silent) {
      throw new IOException("no word from the process under test in " + limit + lastErrors());
    } catch (ExecutionException broken) {
      throw new IOException("the process under test broke off" + lastErrors(), broken.getCause());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for the process under test");
    }
  }

  /** The process's number. */
  public long pid() {
    return process.pid();
  }

  /** The child's standard input, for children that take more than lines. */
  public OutputStream input() {
    return input;
  }

  /** What to say when it is found to have ended; quotes its last errors. */
  public IOException endedEarly(@Nullable Throwable found) throws IOException {
    return new IOException("the process under test ended early" + lastErrors(), found);
  }

  private String lastErrors() throws IOException {
    List<String> lines = Files.readAllLines(errors, UTF_8);
    if (lines.isEmpty()) {
      return "";
    }
    return ": "
        + String.join(" | ", lines.subList(Math.max(0, lines.size() - QUOTED_LINES), lines.size()));
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    output.close();
    Files.deleteIfExists(errors);
    try {
      Runtime.getRuntime().removeShutdownHook(killer);
    } catch (IllegalStateException shuttingDown) {
      // The hook runs already, and finds the process ended.
    }
  }

  /** Says why nobody reads what is written. */
  private final class Input extends FilterOutputStream {
    private Input(OutputStream out) {
      super(out);
    }

    @Override
    public void write(byte[] bytes, int from, int count) throws IOException {
      try {
        out.write(bytes, from, count);
      } catch (IOException broken) {
        throw endedEarly(broken);
      }
    }

    @Override
    public void flush() throws IOException {
      try {
        out.flush();
      } catch (IOException broken) {
        throw endedEarly(broken);
      }
    }
  }
}
