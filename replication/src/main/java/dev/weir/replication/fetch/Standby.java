package dev.weir.replication.fetch;

import dev.weir.replication.manifest.ManifestException;
import dev.weir.replication.manifest.ManifestReader;
import dev.weir.replication.manifest.Summary;
import dev.weir.replication.net.Lag;
import dev.weir.replication.tree.Deletion;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a container that follows it. Each turn brings the newest state into a folder of its
 * own, in which files that have not changed are hard links. Then one rename of a link makes it the
 * current state: whatever happens, the link leads to a whole one.
 *
 * <pre>
 * TARGET/NAME                              ─► .weir-standby/NAME/7
 * TARGET/.weir-standby/NAME/lock           held by the process that follows
 * TARGET/.weir-standby/NAME/7/             the current state
 * TARGET/.weir-standby/NAME/7.manifest     of it
 * TARGET/.weir-standby/NAME/.weir-incoming/8/   the next one, while it comes
 * </pre>
 *
 * <p>For one thread.
 */
public final class Standby implements Closeable {
  /** In the target directory. */
  static final String FOLDER = ".weir-standby";

  /** A node that opens a store makes this in it. */
  private static final String OPENED = "~lock";

  private static final String MANIFEST = ".manifest";

  private final FetchOptions options;
  private final Path target;
  private final Path link;
  private final Path folder;
  private final HomeLock lock;

  /** The number of the current state; 0 where there is none. */
  private long current;

  private String currentTag;

  private Standby(
      FetchOptions options, Path target, Path link, Path folder, HomeLock lock, long current)
      throws IOException {
    this.options = options;
    this.target = target;
    this.link = link;
    this.folder = folder;
    this.lock = lock;
    this.current = current;
    this.currentTag = Files.isDirectory(state(current)) ? tagOf(manifest(current)) : "";
  }

  /** Empty where a crash has left none, or a part of one: then all is fetched anew. */
  private static String tagOf(Path manifest) throws IOException {
    try {
      ManifestReader.check(manifest);
      return Fetch.tagOf(manifest);
    } catch (NoSuchFileException | ManifestException none) {
      return "";
    }
  }

  /**
   * How a turn ended.
   *
   * @param brought what came; null where the source has nothing new
   * @param lag what the source had beyond it
   */
  public record Turn(@Nullable FetchResult brought, Lag lag) {}

  /**
   * Takes a place, or goes on with what an earlier process has left there.
   *
   * @throws FetchException when it is somebody else's
   */
  public static Standby open(FetchOptions options) throws IOException {
    Files.createDirectories(options.target());
    Path target = options.target().toRealPath();
    Path link = target.resolve(options.container());
    if (Files.exists(link, LinkOption.NOFOLLOW_LINKS) && !Files.isSymbolicLink(link)) {
      throw FetchException.refused(
          "%s exists and is no standby; remove it, or choose another directory".formatted(link));
    }
    Path folder = Files.createDirectories(target.resolve(FOLDER).resolve(options.container()));
    HomeLock lock = HomeLock.tryTake(folder.resolve("lock"));
    if (lock == null) {
      throw FetchException.refused(
          "another process keeps %s; stop it first, or choose another directory".formatted(link));
    }
    try {
      return new Standby(options, target, link, folder, lock, current(link, folder));
    } catch (Throwable e) {
      lock.close();
      throw e;
    }
  }

  private static long current(Path link, Path folder) throws IOException {
    Path leadsTo;
    try {
      leadsTo = link.resolveSibling(Files.readSymbolicLink(link));
    } catch (NoSuchFileException none) {
      return 0;
    }
    String name = String.valueOf(leadsTo.getFileName());
    if (!folder.equals(leadsTo.getParent()) || !name.matches("[1-9][0-9]{0,17}")) {
      throw FetchException.refused(
          "%s is a link to %s; remove it, or choose another directory".formatted(link, leadsTo));
    }
    return Long.parseLong(name);
  }

  /** What leads to the current state. */
  public Path link() {
    return link;
  }

  /**
   * Asks once, and brings what is new.
   *
   * @throws FetchException when the container is refused, corrupt or unreachable: the current state
   *     stays as it is
   */
  public Turn turn(Progress progress) throws IOException, InterruptedException {
    refuseIfOpened();
    removeOthers();
    long next = current + 1;
    long start = System.nanoTime();
    FetchOptions own = options.into(folder);
    try (SourceClient client = new SourceClient(own);
        ImportDirectory home = ImportDirectory.open(folder, Long.toString(next))) {
      Patience patience = Fetch.patience(own);
      ManifestDownload download =
          new ManifestDownload(client, progress, Fetch.base(own), patience, currentTag);
      String tag = download.into(home.partialManifest());
      if (tag.equals(currentTag)) {
        return new Turn(null, download.lag());
      }
      Summary summary = Fetch.bring(own, progress, client, home, tag, patience, earlier());
      Files.move(home.manifest(), manifest(next), StandardCopyOption.REPLACE_EXISTING);
      ImportDirectory.sync(manifest(next));
      home.publish(Fetch.MODE);
      progress.peak(client.peakBytes());
      switchTo(next, tag);
      double seconds = (double) (System.nanoTime() - start) / TimeUnit.SECONDS.toNanos(1);
      return new Turn(
          new FetchResult(link, summary.entries(), summary.bytes(), summary.dataBytes(), seconds),
          download.lag());
    }
  }

  private @Nullable Earlier earlier() {
    return currentTag.isEmpty() ? null : new Earlier(manifest(current), state(current));
  }

  private void switchTo(long next, String tag) throws IOException {
    refuseIfOpened();
    Path fresh = folder.resolve("next");
    Files.deleteIfExists(fresh);
    Files.createSymbolicLink(fresh, Path.of(FOLDER, options.container(), Long.toString(next)));
    Files.move(fresh, link, StandardCopyOption.ATOMIC_MOVE);
    ImportDirectory.sync(target);
    current = next;
    currentTag = tag;
    removeOthers();
  }

  /**
   * Whether a node has opened it. Then it has changed, and may be the only one that has what was
   * written since.
   */
  public boolean isOpened() {
    return current > 0 && Files.exists(state(current).resolve(OPENED), LinkOption.NOFOLLOW_LINKS);
  }

  private void refuseIfOpened() throws FetchException {
    if (isOpened()) {
      throw FetchException.refused(
          "a node has opened %s, so it is no standby any more; choose another directory"
              .formatted(link));
    }
  }

  /** Removes states that are not the current one: the last, or one that a crash has left. */
  private void removeOthers() throws IOException {
    try (DirectoryStream<Path> states = Files.newDirectoryStream(folder, "[0-9]*")) {
      for (Path state : states) {
        String name = String.valueOf(state.getFileName());
        if (!name.equals(Long.toString(current)) && !name.equals(current + MANIFEST)) {
          Deletion.delete(state);
        }
      }
    }
  }

  private Path state(long number) {
    return folder.resolve(Long.toString(number));
  }

  private Path manifest(long number) {
    return folder.resolve(number + MANIFEST);
  }

  @Override
  public void close() throws IOException {
    lock.close();
  }
}
