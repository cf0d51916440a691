package dev.weir.replication.imports;

import dev.weir.replication.imports.ImportRefusal.Why;
import dev.weir.replication.receive.ImportDirectory;
import dev.weir.replication.receive.TakenException;
import dev.weir.replication.source.Container;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The containers that are being pushed into one directory: one import for each name, those that
 * have ended lately included. What takes long, reading what an earlier attempt has left and
 * bringing files to the disk, has threads of its own. Any thread.
 */
public final class Imports implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(Imports.class.getName());
  private static final int WORKERS = 2;
  private static final int MOST_KNOWN = 256;
  private static final int MOST_QUESTIONS = 1024;
  private static final String POSTED = ".posted-";
  private static final Duration LEFT_AFTER = Duration.ofHours(24);

  /** Places that imports share with connections: each stands for memory of the budget. */
  public interface Places {
    /** Takes one, unless all are taken. */
    boolean tryTake();

    /** Gives one back. */
    void giveBack();
  }

  private final ImportOptions options;
  private final Places places;
  private final Container.Reading reading;
  private final ImportFigures figures = new ImportFigures();
  private final Map<String, Import> known = new LinkedHashMap<>();

  /** Bounded by the places: an import has one task at a time. */
  private final ThreadPoolExecutor workers =
      new ThreadPoolExecutor(
          WORKERS,
          WORKERS,
          0,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          Thread.ofPlatform().daemon().name("weir-imports-", 0).factory());

  /** Reads manifests to say what is missing. */
  private final ThreadPoolExecutor questions =
      new ThreadPoolExecutor(
          1,
          1,
          0,
          TimeUnit.SECONDS,
          new ArrayBlockingQueue<>(MOST_QUESTIONS),
          Thread.ofPlatform().daemon().name("weir-imports-missing").factory());

  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("weir-imports-clock").factory());

  /**
   * Takes imports from now on.
   *
   * @param reading lends the buffer that files are read with
   */
  public Imports(ImportOptions options, Places places, Container.Reading reading)
      throws IOException {
    this.options = options;
    this.places = places;
    this.reading = reading;
    Files.createDirectories(options.directory());
    ImportDirectory.makeOwn(folder());
    removeLeft();
    long period = Math.min(1000, Math.max(5, options.progressLimit().toMillis() / 4));
    var _ = clock.scheduleAtFixedRate(this::tick, period, period, TimeUnit.MILLISECONDS);
  }

  private Path folder() {
    return options.directory().resolve(ImportDirectory.FOLDER);
  }

  private void removeLeft() throws IOException {
    int removed = ImportDirectory.removeOrphans(options.directory(), Instant.now());
    if (removed > 0) {
      LOG.log(
          System.Logger.Level.INFO,
          "removed {0} unfinished imports older than 24 h from {1}",
          removed,
          options.directory());
    }
    Instant oldest = Instant.now().minus(LEFT_AFTER);
    try (DirectoryStream<Path> posted = Files.newDirectoryStream(folder(), POSTED + "*")) {
      for (Path file : posted) {
        if (Files.getLastModifiedTime(file).toInstant().isBefore(oldest)) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  private void tick() {
    for (Import known : all()) {
      try {
        known.tick();
      } catch (IOException e) {
        known.end("the room on the disk cannot be counted: " + e.getMessage(), false);
      }
    }
  }

  /** What has come so far. */
  public ImportFigures figures() {
    return figures;
  }

  /** Imports that wait for a thread. */
  public int queued() {
    return workers.getQueue().size();
  }

  /** Those that are under way, and those that have ended lately. */
  public List<Import> all() {
    synchronized (known) {
      return new ArrayList<>(known.values());
    }
  }

  /** By its id; null when it is not known. */
  public @Nullable Import get(String id) {
    synchronized (known) {
      return known.get(id);
    }
  }

  /** A file that a manifest is written into while it comes. */
  public Path posting() throws IOException {
    return Files.createTempFile(folder(), POSTED, "");
  }

  /**
   * Refuses what cannot come, before any byte of it.
   *
   * @throws TakenException when the container is there
   */
  public void refuseTaken(String name) throws IOException {
    ImportDirectory.refuseExisting(options.directory().toRealPath(), name);
  }

  /**
   * Begins an import, or finds the one that is under way with the same manifest.
   *
   * @param posted the manifest, which is moved or removed
   * @param tag its SHA-256
   * @throws TakenException when one with another manifest is under way
   * @throws ImportRefusal when there is no place for one more
   */
  public Begun begin(String name, Path posted, String tag) throws IOException {
    Import begun;
    synchronized (known) {
      Import same = sameName(name);
      if (same != null) {
        Files.deleteIfExists(posted);
        if (same.tag().equals(tag)) {
          return new Begun(same, /* isNew= */ false);
        }
        throw new TakenException(
            "another content of '%s' is being imported as '%s'; wait for that, or cancel it"
                .formatted(name, same.id()));
      }
      if (!places.tryTake()) {
        Files.deleteIfExists(posted);
        throw new ImportRefusal(
            Why.BUSY,
            "the server's budget has no place for one more import; try again, or give it more"
                + " --budget");
      }
      figures.began();
      begun =
          new Import(
              name,
              tag,
              options,
              figures,
              workers,
              () -> {
                figures.ended();
                places.giveBack();
              });
      known.remove(begun.id());
      known.put(begun.id(), begun);
      forgetOldest();
    }
    workers.execute(() -> reading.with(buffer -> begun.check(posted, buffer)));
    return new Begun(begun, /* isNew= */ true);
  }

  /**
   * What became of a manifest.
   *
   * @param isNew whether it began an import
   */
  public record Begun(Import known, boolean isNew) {}

  private @Nullable Import sameName(String name) {
    for (Import other : known.values()) {
      if (other.name().equals(name) && isUnderWay(other)) {
        return other;
      }
    }
    return null;
  }

  private static boolean isUnderWay(Import other) {
    return other.state() != Import.State.DONE && other.state() != Import.State.ENDED;
  }

  private void forgetOldest() {
    Iterator<Import> oldest = known.values().iterator();
    while (known.size() > MOST_KNOWN && oldest.hasNext()) {
      if (!isUnderWay(oldest.next())) {
        oldest.remove();
      }
    }
  }

  /**
   * Ends an import, and removes what has come of it.
   *
   * @throws ImportRefusal when all has come
   */
  public void cancel(Import ended) throws ImportRefusal {
    ended.cancel();
  }

  /** Finds out something that takes reading, on a thread for that. */
  public <T> CompletableFuture<T> find(Callable<T> question) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    questions.execute(() -> {
      try {
        answer.complete(question.call());
      } catch (Throwable e) {
        answer.completeExceptionally(new CompletionException(e));
      }
    });
    return answer;
  }

  /** Puts aside what is under way; the next attempts go on with it. */
  @Override
  public void close() {
    clock.shutdownNow();
    questions.shutdownNow();
    all().forEach(known -> known.end("the server has stopped; what has come is kept", false));
    workers.shutdown();
    try {
      if (!workers.awaitTermination(1, TimeUnit.MINUTES)) {
        workers.shutdownNow();
      }
    } catch (InterruptedException e) {
      workers.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
