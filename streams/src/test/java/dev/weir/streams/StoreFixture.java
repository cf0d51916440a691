package dev.weir.streams;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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

  StoreFixture(Path directory) throws IOException {
    this(directory, new LocalDisk(), new AtomicLong(1_000_000));
  }

  StoreFixture(Path directory, Disk disk, AtomicLong nowMillis) throws IOException {
    this(nowMillis, StreamStore.open(directory, disk, nowMillis::get));
  }

  /** A store whose streams and producers may take so much of the heap. */
  StoreFixture(Path directory, long catalogLimitBytes) throws IOException {
    this(
        new AtomicLong(), StreamStore.open(directory, new LocalDisk(), () -> 0, catalogLimitBytes));
  }

  private StoreFixture(AtomicLong nowMillis, StreamStore store) {
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

  static long segmentFiles(Path directory) throws IOException {
    return segments(directory).size();
  }

  static List<Path> segments(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory.resolve("bytes"))) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  @Override
  public void close() throws IOException {
    store.close();
  }
}
