package dev.weir.replication.fetch;

import dev.weir.replication.client.Client;
import dev.weir.replication.manifest.ManifestReader;
import dev.weir.replication.manifest.Summary;
import dev.weir.replication.net.Lag;
import dev.weir.replication.receive.Earlier;
import dev.weir.replication.receive.ImportDirectory;
import dev.weir.replication.receive.Plan;
import dev.weir.replication.receive.TargetTree;
import dev.weir.replication.transfer.Progress;
import dev.weir.replication.transfer.TransferException;
import dev.weir.replication.tree.Chunks;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Fetches a container: manifest, room on the disk, bytes that are checked as they come, sync, and
 * only then its name. Blocks its thread.
 *
 * <p>An attempt that ends early leaves what has come in {@code .weir-incoming}; the next attempt
 * checks that against the manifest, and asks for the rest.
 */
public final class Fetch {
  private static final long LEAST_PIECE_BYTES = 8L << 20;
  private static final long MOST_PIECE_BYTES = 256L << 20;

  private Fetch() {}

  /**
   * Removes what attempts have left in a directory more than a day ago.
   *
   * @return how many there were
   */
  public static int removeOrphans(Path target) throws IOException {
    return ImportDirectory.removeOrphans(target, Instant.now());
  }

  /**
   * Fetches.
   *
   * @throws TransferException when the container is refused, corrupt or unreachable
   * @throws IOException when this side fails
   */
  public static FetchResult run(FetchOptions options, Progress progress)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    Summary summary;
    double seconds;
    try (Client client = client(options);
        ImportDirectory home = ImportDirectory.open(options.target(), options.container())) {
      try {
        List<Source> sources = sources(options);
        Newest newest = manifest(sources, client, progress, home.partialManifest(), "");
        summary = bring(options, progress, client, home, sources, newest.tag(), null);
        home.publish();
        seconds = (double) (System.nanoTime() - start) / TimeUnit.SECONDS.toNanos(1);
      } finally {
        progress.peak(client.peakBytes());
      }
    }
    progress.begin(Progress.Step.DONE);
    return new FetchResult(
        options.target().resolve(options.container()),
        summary.entries(),
        summary.bytes(),
        summary.dataBytes(),
        seconds);
  }

  static Client client(FetchOptions options) throws TransferException {
    return new Client(
        "fetch",
        options.connections(),
        options.budgetBytes(),
        options.rate(),
        options.progressLimit());
  }

  /** Those to ask, in order; who is of no use is taken out. */
  static List<Source> sources(FetchOptions options) {
    List<Source> sources = new ArrayList<>();
    options.sources().forEach(address -> sources.add(new Source(address)));
    return sources;
  }

  /**
   * Brings all that a manifest names into the import directory, up to the disk.
   *
   * @param tag of the manifest that has just come
   * @param earlier has files that may be there already
   */
  static Summary bring(
      FetchOptions options,
      Progress progress,
      Client client,
      ImportDirectory home,
      List<Source> sources,
      String tag,
      @Nullable Earlier earlier)
      throws IOException, InterruptedException {
    ImportDirectory.Prepared prepared = home.prepare(tag, earlier, options.freeBytes());
    Summary summary = prepared.summary();
    progress.total(summary.dataBytes());
    progress.begin(Progress.Step.BYTES);
    ByteBuf buffer = client.buffer();
    try (TargetTree tree = TargetTree.ofFetch(home.tree(), prepared.resumed());
        Plan plan =
            new Plan(
                ManifestReader.open(home.manifest()),
                tree,
                prepared.unchanged(),
                new Chunks(buffer.nioBuffer(0, buffer.capacity())),
                progress,
                pieceBytes(summary, options.connections()),
                (offset, position, chunk) -> {})) {
      new Transfer(
              client,
              options.connections(),
              sources,
              tag,
              plan,
              tree,
              progress,
              () -> home.room(prepared.missingBytes(progress.verifiedBytes())))
          .run();
      progress.begin(Progress.Step.SYNC);
      tree.finish(home.manifest());
    } finally {
      buffer.release();
    }
    return summary;
  }

  /**
   * A manifest that has come.
   *
   * @param lag what the source had beyond it
   */
  record Newest(String tag, Lag lag) {}

  /**
   * The manifest of the first source that answers; those before it are removed.
   *
   * @param knownTag what is there already, and need not come again
   */
  static Newest manifest(
      List<Source> sources, Client client, Progress progress, Path file, String knownTag)
      throws IOException, InterruptedException {
    while (true) {
      Source first = sources.getFirst();
      try {
        ManifestDownload download = new ManifestDownload(client, progress, first, knownTag);
        return new Newest(download.into(file), download.lag());
      } catch (TransferException e) {
        if (sources.size() == 1) {
          throw e;
        }
        progress.say(first.useless(e));
        sources.removeFirst();
      }
    }
  }

  private static long pieceBytes(Summary summary, int connections) {
    long share = summary.dataBytes() / (4L * connections);
    return Math.clamp(share, LEAST_PIECE_BYTES, MOST_PIECE_BYTES);
  }
}
