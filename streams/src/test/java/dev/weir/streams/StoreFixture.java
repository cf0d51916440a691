package dev.weir.streams;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** A store over a directory, with short calls that wait for their answers. */
final class StoreFixture implements AutoCloseable {
  final AtomicLong nowMillis;
  final AtomicInteger unreleased = new AtomicInteger();
  final StreamStore store;
  private final Path directory;
  private boolean closed;

  StoreFixture(Path directory) throws IOException {
    this(directory, new LocalDisk(), new AtomicLong(1_000_000));
  }

  StoreFixture(Path directory, Disk disk, AtomicLong nowMillis) throws IOException {
    this(directory, nowMillis, StreamStore.open(directory, disk, nowMillis::get));
  }

  /** A store whose streams and producers may take so much of the heap. */
  StoreFixture(Path directory, long catalogLimitBytes) throws IOException {
    this(
        directory,
        new AtomicLong(),
        StreamStore.open(
            directory, new LocalDisk(), () -> 0, catalogLimitBytes, StoreOptions.embedded()));
  }

  /** A store with settings of a test's own. */
  StoreFixture(Path directory, StoreOptions options) throws IOException {
    this(
        directory,
        new AtomicLong(),
        StreamStore.open(directory, new LocalDisk(), () -> 0, options));
  }

  /** Both. */
  StoreFixture(Path directory, long catalogLimitBytes, StoreOptions options) throws IOException {
    this(
        directory,
        new AtomicLong(),
        StreamStore.open(directory, new LocalDisk(), () -> 0, catalogLimitBytes, options));
  }

  private StoreFixture(Path directory, AtomicLong nowMillis, StreamStore store) {
    this.directory = directory;
    this.nowMillis = nowMillis;
    this.store = store;
  }

  CreateOutcome create(String path) {
    return store.create(CreateRequest.of(path, "text/plain"), new Payload.None()).join();
  }

  Payload inline(String text) {
    unreleased.incrementAndGet();
    return new Payload.Inline(
        ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), unreleased::decrementAndGet);
  }

  AppendOutcome append(String path, String text) throws IOException {
    return append(new AppendRequest(path, "text/plain", false, null, null), inline(text));
  }

  AppendOutcome append(AppendRequest request, Payload payload) throws IOException {
    try {
      return store.append(request, payload).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof IOException error) {
        throw error;
      }
      throw e;
    }
  }

  String read(String path) {
    StreamState state = state(path);
    return read(state, 0, state.tailOffset());
  }

  String read(StreamState state, long from, long to) {
    ByteBuffer bytes = ByteBuffer.allocate((int) (to - from));
    try (RangeReader reader = store.read(state, from, to)) {
      reader.read(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new String(bytes.array(), StandardCharsets.UTF_8);
  }

  StreamState state(String path) {
    dev.weir.streams.Stream stream = store.find(path);
    if (stream == null) {
      throw new AssertionError("no stream " + path);
    }
    return stream.state();
  }

  /** Bodies that are not flushed. */
  static List<Path> spoolFiles(Path directory) throws IOException {
    return files(directory.resolve("spool"));
  }

  /** What was flushed. */
  static List<Path> segments(Path directory) throws IOException {
    return files(directory.resolve("objects").resolve("seg"));
  }

  private static List<Path> files(Path below) throws IOException {
    if (!Files.exists(below)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(below)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  /** Ends the store, and leaves the directory as a kill would: nothing is flushed at the end. */
  void kill() throws IOException {
    Path killed = directory.resolveSibling(directory.getFileName() + "-killed");
    copyAtRest(killed);
    close();
    delete(directory);
    Files.move(killed, directory);
  }

  /** Files of a flush come and go: a copy is taken again until there was none meanwhile. */
  private void copyAtRest(Path killed) throws IOException {
    boolean copied = false;
    while (!copied) {
      long flushes = store.stats().flushes();
      try {
        copy(directory, killed);
        copied = store.isIdle() && store.stats().flushes() == flushes;
      } catch (NoSuchFileException gone) {
        copied = false;
      }
      if (!copied) {
        delete(killed);
      }
    }
  }

  static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }

  static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      store.close();
    }
  }
}
