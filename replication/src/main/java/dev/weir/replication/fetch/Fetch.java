package dev.weir.replication.fetch;

import dev.weir.replication.manifest.ManifestReader;
import dev.weir.replication.manifest.Sha256;
import dev.weir.replication.manifest.Summary;
import dev.weir.replication.tree.Chunks;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;
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
  /** The mode of the container's own directory, which is in no manifest. */
  static final int MODE = 0755;

  private static final int BLOCK_BYTES = 4096;
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
   * @throws FetchException when the container is refused, corrupt or unreachable
   * @throws IOException when this side fails
   */
  public static FetchResult run(FetchOptions options, Progress progress)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    Summary summary;
    double seconds;
    try (SourceClient client = new SourceClient(options);
        ImportDirectory home = ImportDirectory.open(options.target(), options.container())) {
      try {
        Patience patience = patience(options);
        String tag =
            new ManifestDownload(client, progress, base(options), patience)
                .into(home.partialManifest());
        summary = bring(options, progress, client, home, tag, patience, null);
        home.publish(MODE);
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

  static Patience patience(FetchOptions options) {
    return new Patience(options.source().getHostString() + ":" + options.source().getPort());
  }

  static String base(FetchOptions options) {
    return "/containers/" + options.container();
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
      SourceClient client,
      ImportDirectory home,
      String tag,
      Patience patience,
      @Nullable Earlier earlier)
      throws IOException, InterruptedException {
    boolean resumed = home.hasTree() && tag.equals(tagOf(home.manifest()));
    if (!resumed) {
      home.discardTree();
      Files.move(home.partialManifest(), home.manifest(), StandardCopyOption.REPLACE_EXISTING);
    }
    Summary summary = ManifestReader.check(home.manifest());
    Unchanged unchanged =
        earlier == null ? Unchanged.NONE : Unchanged.between(earlier, home.manifest());
    long whole = roomFor(summary) - unchanged.dataBytes();
    long needed = whole;
    if (resumed) {
      needed = Math.min(needed, home.room());
    }
    DiskRoom.reserve(home, needed, options.freeBytes());
    if (!resumed) {
      home.makeTree();
    }
    progress.total(summary.dataBytes());
    progress.begin(Progress.Step.BYTES);
    ByteBuf buffer = client.buffer();
    try (TargetTree tree = new TargetTree(home.tree(), resumed);
        Plan plan =
            new Plan(
                ManifestReader.open(home.manifest()),
                tree,
                unchanged,
                new Chunks(buffer.nioBuffer(0, buffer.capacity())),
                progress,
                pieceBytes(summary, options.connections()))) {
      long kept = unchanged.dataBytes();
      new Transfer(
              client, options.connections(), base(options), tag, plan, tree, progress, patience)
          .run(() -> home.room(Math.clamp(whole + kept - progress.verifiedBytes(), 0, whole)));
      progress.begin(Progress.Step.SYNC);
      tree.finish(home.manifest());
    } finally {
      buffer.release();
    }
    return summary;
  }

  private static long pieceBytes(Summary summary, int connections) {
    long share = summary.dataBytes() / (4L * connections);
    return Math.clamp(share, LEAST_PIECE_BYTES, MOST_PIECE_BYTES);
  }

  /** Data, and a block for each entry: for the end of a file, or a directory. */
  private static long roomFor(Summary summary) {
    return summary.dataBytes() + BLOCK_BYTES * summary.entries();
  }

  /** The tag of a manifest in a file; empty where there is none. */
  static String tagOf(Path manifest) throws IOException {
    if (!Files.exists(manifest)) {
      return "";
    }
    MessageDigest digest = Sha256.start();
    try (InputStream in = new DigestInputStream(Files.newInputStream(manifest), digest)) {
      in.transferTo(java.io.OutputStream.nullOutputStream());
    }
    return HexFormat.of().formatHex(digest.digest());
  }
}
