package dev.weir.benchmarks.streams.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A server that this process started; it ends with this object, or with this JVM. Used by one
 * thread.
 */
public final class ServerProcess implements AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(60);
  private static final int LOOK_MILLIS = 2;
  private static final int QUOTED_LINES = 5;

  private final StreamServer server;
  private final Process process;
  private final InetSocketAddress address;
  private final Path output;
  private final Thread killer;
  private long writtenBytes;

  private ServerProcess(
      StreamServer server, Process process, InetSocketAddress address, Path output) {
    this.server = server;
    this.process = process;
    this.address = address;
    this.output = output;
    this.killer = new Thread(process::destroyForcibly, "stop-server");
    Runtime.getRuntime().addShutdownHook(killer);
  }

  /**
   * Starts a server on a free port, and waits until it listens.
   *
   * @param folder where its data and its output go
   * @throws IOException if it does not; quotes the last lines of its output
   */
  public static ServerProcess start(StreamServer server, Path folder) throws IOException {
    InetSocketAddress address = freeAddress();
    Path output = folder.resolve("output");
    List<String> command = server.launch().command(folder.resolve("data"), address.getPort());
    Process started =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
            .start();
    ServerProcess process = new ServerProcess(server, started, address, output);
    try {
      process.awaitListening();
      return process;
    } catch (Throwable e) {
      process.close();
      throw e;
    }
  }

  /** An address of loopback where nobody listens now. */
  public static InetSocketAddress freeAddress() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return new InetSocketAddress(socket.getInetAddress(), socket.getLocalPort());
    }
  }

  private void awaitListening() throws IOException {
    long end = System.nanoTime() + START_LIMIT.toNanos();
    while (System.nanoTime() < end) {
      if (hasEndedWithin(LOOK_MILLIS)) {
        throw new IOException(server.label() + " ended before it listened" + lastLines());
      }
      try (SocketChannel channel = SocketChannel.open(address)) {
        if (channel.isConnected()) {
          return;
        }
      } catch (IOException notYet) {
        // It is starting.
      }
    }
    throw new IOException(
        "%s does not listen after %d s%s"
            .formatted(server.label(), START_LIMIT.toSeconds(), lastLines()));
  }

  private String lastLines() throws IOException {
    List<String> lines = Files.readAllLines(output, UTF_8);
    List<String> last = lines.subList(Math.max(0, lines.size() - QUOTED_LINES), lines.size());
    return last.isEmpty() ? "" : ": " + String.join(" | ", last);
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return address;
  }

  /** Its memory and what it wrote, now. */
  public ProcessFigures figures() throws IOException {
    return ProcessFigures.of(process.pid());
  }

  /**
   * Asks it to end, as a supervisor does, and waits.
   *
   * @return all that it has caused to be written to disks, its end included
   * @throws IOException if it does not end
   */
  public long stop() throws IOException {
    process.toHandle().destroy();
    long end = System.nanoTime() + STOP_LIMIT.toNanos();
    do {
      try {
        writtenBytes = Math.max(writtenBytes, figures().writtenBytes());
      } catch (IOException ended) {
        // The last look counts.
      }
      if (System.nanoTime() > end) {
        throw new IOException(
            "%s does not end after %d s".formatted(server.label(), STOP_LIMIT.toSeconds()));
      }
    } while (!hasEndedWithin(LOOK_MILLIS));
    return writtenBytes;
  }

  private boolean hasEndedWithin(int millis) throws InterruptedIOException {
    try {
      return process.waitFor(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for " + server.label());
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    try {
      Runtime.getRuntime().removeShutdownHook(killer);
    } catch (IllegalStateException shuttingDown) {
      // The hook runs already, and finds the process ended.
    }
  }
}
