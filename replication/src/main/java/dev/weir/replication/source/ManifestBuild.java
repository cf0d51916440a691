package dev.weir.replication.source;

import dev.weir.replication.manifest.ManifestLayout;
import dev.weir.replication.manifest.ManifestReader;
import dev.weir.replication.manifest.ManifestWriter;
import dev.weir.replication.manifest.Run;
import dev.weir.replication.tree.Chunks;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The making of one manifest: a walk that reads every file whose checksums are not known yet, and
 * writes as it goes. Its progress may be looked at by any thread.
 */
public final class ManifestBuild {

  private final long number;
  private final CompletableFuture<Snapshot> result = new CompletableFuture<>();
  private final AtomicLong files = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private volatile long endedNanos;

  ManifestBuild(long number) {
    this.number = number;
  }

  /** Counts up from build to build of a container. */
  public long number() {
    return number;
  }

  /** The manifest, or why there is none. */
  public CompletableFuture<Snapshot> result() {
    return result;
  }

  /** Whether this is its outcome. */
  boolean has(Snapshot snapshot) {
    return result.isDone() && !result.isCompletedExceptionally() && snapshot.equals(result.join());
  }

  /** Files that are in the manifest by now. */
  public long files() {
    return files.get();
  }

  /** Their bytes. */
  public long bytes() {
    return bytes.get();
  }

  long endedNanos() {
    return endedNanos;
  }

  /** Builds; the result tells how it ended. */
  void run(String container, Origin origin, Path folder, ByteBuffer buffer) {
    try {
      Snapshot snapshot = build(container, origin, folder, new Chunks(buffer));
      endedNanos = System.nanoTime();
      result.complete(snapshot);
    } catch (Throwable e) {
      endedNanos = System.nanoTime();
      result.completeExceptionally(e);
    }
  }

  private Snapshot build(String container, Origin origin, Path folder, Chunks chunks)
      throws IOException {
    Origin.Tree tree = origin.open();
    try {
      return build(container, tree, folder, chunks);
    } catch (Throwable e) {
      tree.close();
      throw e;
    }
  }

  private Snapshot build(String container, Origin.Tree tree, Path folder, Chunks chunks)
      throws IOException {
    Path manifest = folder.resolve("building.manifest");
    Path stamps = folder.resolve("building.stamps");
    SparseIndex index = new SparseIndex();
    String tag;
    ManifestWriter writer = new ManifestWriter(Files.newOutputStream(manifest));
    try (writer;
        DataOutputStream stampsOut =
            new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(stamps)));
        KnownFiles known =
            KnownFiles.open(folder.resolve("last.manifest"), folder.resolve("last.stamps"))) {
      TreeWalk walk = new TreeWalk(container, tree.root());
      for (TreeWalk.Step step = walk.next(); step != null; step = walk.next()) {
        if (step.facts().isDirectory()) {
          writer.directory(step.path(), step.facts().mode());
          continue;
        }
        index.add(writer.summary().bytes(), writer.position());
        FileStamp stamp = step.facts().stamp().in(tree);
        writer.file(step.path(), step.facts().mode(), stamp.size());
        ManifestReader earlier = known == null ? null : known.find(step.path(), stamp);
        if (earlier != null) {
          copyRuns(earlier, writer);
        } else {
          read(container, tree, step, writer, chunks);
        }
        stamp.write(stampsOut);
        files.incrementAndGet();
        bytes.addAndGet(stamp.size());
      }
      tag = writer.end();
    }
    Path tagged = folder.resolve(tag + ".manifest");
    Path taggedStamps = folder.resolve(tag + ".stamps");
    replace(manifest, tagged, folder.resolve("last.manifest"));
    replace(stamps, taggedStamps, folder.resolve("last.stamps"));
    return new Snapshot(container, tree, tag, tagged, taggedStamps, index, writer.summary());
  }

  /** The snapshot's own file, and a second name under which the next build finds it. */
  private static void replace(Path built, Path tagged, Path last) throws IOException {
    Files.move(built, tagged, StandardCopyOption.REPLACE_EXISTING);
    Files.deleteIfExists(last);
    Files.createLink(last, tagged);
  }

  private static void copyRuns(ManifestReader earlier, ManifestWriter writer) throws IOException {
    for (Run run = earlier.nextRun(); run != null; run = earlier.nextRun()) {
      writer.run(run);
    }
  }

  private static void read(
      String container, Origin.Tree tree, TreeWalk.Step step, ManifestWriter writer, Chunks chunks)
      throws IOException {
    int[] known = tree.checksums(step.path());
    for (int crc : known) {
      writer.data(crc);
    }
    long size = step.facts().stamp().size();
    try (FileChannel file =
        FileChannel.open(step.location(), StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
      for (long chunk = known.length; chunk < ManifestLayout.chunks(size); chunk++) {
        int crc =
            chunks.read(
                file, chunk * ManifestLayout.CHUNK_BYTES, ManifestLayout.chunkBytes(size, chunk));
        if (chunks.wasZero()) {
          writer.hole(1);
        } else {
          writer.data(crc);
        }
      }
    } catch (EOFException e) {
      throw changes(container, step.path());
    }
    FileStamp after = FileStamp.read(step.location()).stamp().in(tree);
    if (!after.equals(step.facts().stamp().in(tree))) {
      throw changes(container, step.path());
    }
  }

  private static SourceException changes(String container, @Nullable String path) {
    return new SourceException(
        "container '%s': the file '%s' changes while it is read; stop writing and ask again"
            .formatted(container, path));
  }
}
