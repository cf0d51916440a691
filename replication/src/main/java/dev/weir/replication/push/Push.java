package dev.weir.replication.push;

import dev.weir.replication.client.Client;
import dev.weir.replication.client.Peer;
import dev.weir.replication.manifest.Summary;
import dev.weir.replication.source.Container;
import dev.weir.replication.source.ManifestBuild;
import dev.weir.replication.source.Origin;
import dev.weir.replication.source.Snapshot;
import dev.weir.replication.transfer.Progress;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Sends a container: manifest, what the server lacks of it, and then waits until it has its name
 * there. Blocks its thread.
 *
 * <p>An attempt that ends early leaves at the server what has come; the next attempt brings the
 * rest.
 */
public final class Push {
  private static final long LEAST_PART_BYTES = 8L << 20;
  private static final long MOST_PART_BYTES = 256L << 20;
  private static final int LOOK_MILLIS = 200;

  private Push() {}

  /**
   * Sends.
   *
   * @throws dev.weir.replication.transfer.TransferException when the container is refused, corrupt,
   *     or the server does not answer
   * @throws dev.weir.replication.source.SourceException when a file has changed, or is no file
   * @throws IOException when this side fails
   */
  public static PushResult run(PushOptions options, Progress progress)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    try (Client client =
        new Client(
            "push",
            options.connections(),
            options.budgetBytes(),
            options.rate(),
            options.progressLimit())) {
      try {
        Snapshot snapshot = snapshot(options, client, progress);
        Session session =
            new Session(
                client,
                new Peer(options.server(), options.tls()),
                options.container(),
                snapshot,
                progress);
        send(options, client, session, snapshot, progress);
        progress.begin(Progress.Step.DONE);
        return new PushResult(
            session.id(),
            snapshot.summary().entries(),
            snapshot.summary().bytes(),
            (double) (System.nanoTime() - start) / TimeUnit.SECONDS.toNanos(1));
      } finally {
        progress.peak(client.peakBytes());
      }
    }
  }

  private static void send(
      PushOptions options, Client client, Session session, Snapshot snapshot, Progress progress)
      throws IOException, InterruptedException {
    progress.total(snapshot.summary().dataBytes());
    RemoteImport begun = session.begin();
    progress.kept(begun.keptBytes());
    RemoteImport lacks = begun;
    long partBytes = partBytes(snapshot.summary(), options.connections());
    do {
      progress.begin(Progress.Step.BYTES);
      try (MissingParts missing = new MissingParts(session, snapshot, lacks, partBytes)) {
        new Upload(client, options.connections(), session, snapshot, missing, progress).run();
      }
      lacks = session.finish();
    } while (lacks != null);
  }

  private static long partBytes(Summary summary, int connections) {
    long share = summary.dataBytes() / (4L * connections);
    return Math.clamp(share, LEAST_PART_BYTES, MOST_PART_BYTES);
  }

  private static Snapshot snapshot(PushOptions options, Client client, Progress progress)
      throws IOException, InterruptedException {
    Container container =
        new Container(
            options.container(),
            Origin.of(options.directory()),
            options.folder().resolve(options.container()));
    ManifestBuild build =
        container.build(
            task -> Thread.ofPlatform().daemon().name("weir-manifest").start(task),
            reading -> withBuffer(client, reading));
    while (true) {
      try {
        return build.result().get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        progress.say(
            "reads the container: %,d files, %,d bytes".formatted(build.files(), build.bytes()));
      } catch (ExecutionException e) {
        if (e.getCause() instanceof IOException failure) {
          throw failure;
        }
        throw new IOException("the container cannot be read: " + e.getCause(), e);
      }
    }
  }

  private static void withBuffer(Client client, Consumer<ByteBuffer> build) {
    ByteBuf buffer = client.buffer();
    try {
      build.accept(buffer.nioBuffer(0, buffer.capacity()));
    } finally {
      buffer.release();
    }
  }
}
