package dev.weir.lab.recording;

import dev.weir.lab.trace.TraceSink;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import jdk.jfr.consumer.EventStream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * A Flight Recorder recording of a service on Netty 4.2, which tells of buffers where {@code
 * io.netty.AllocateBuffer}, {@code io.netty.FreeBuffer} and {@code io.netty.ReallocateBuffer} are
 * enabled. Heap buffers, and buffers whose address is not told, are left out.
 */
final class BufferRecording {
  private static final String ALLOCATE = "io.netty.AllocateBuffer";
  private static final String FREE = "io.netty.FreeBuffer";
  private static final String REALLOCATE = "io.netty.ReallocateBuffer";

  private final Path file;

  private BufferRecording(Path file) {
    this.file = file;
  }

  /**
   * Opens a recording and reads it once to its end.
   *
   * @throws IOException if the file is no whole recording, or tells of no direct buffers; the
   *     message is one line
   */
  static BufferRecording open(Path file) throws IOException {
    if (!Files.isReadable(file)) {
      throw new IOException("no recording '" + file + "'");
    }
    if (!tellsOfBuffers(file)) {
      throw new IOException(
          "'%s' tells of no direct buffers: record with %s and %s enabled"
              .formatted(file, ALLOCATE, FREE));
    }
    return new BufferRecording(file);
  }

  /** Streams of events pass over what they cannot read; a {@link RecordingFile} does not. */
  private static boolean tellsOfBuffers(Path file) throws IOException {
    boolean tells = false;
    try (RecordingFile events = new RecordingFile(file)) {
      while (events.hasMoreEvents()) {
        RecordedEvent event = events.readEvent();
        tells |= event.getEventType().getName().equals(ALLOCATE) && isDirect(event);
      }
    } catch (IOException | RuntimeException damaged) {
      throw new IOException(
          "'%s' is no whole recording: %s".formatted(file, damaged.getMessage()), damaged);
    }
    return tells;
  }

  /**
   * Hands the buffers to a sink, a chunk of the recording at a time.
   *
   * @param mostEvents the trace ends after so many events, or one or two more
   * @return what there was
   */
  BufferHistory readInto(TraceSink sink, long mostEvents) throws IOException {
    BufferHistory history = new BufferHistory(sink, mostEvents);
    history.begin(String.valueOf(file.getFileName()));
    try (EventStream events = EventStream.openFile(file)) {
      // In the order of time; a recording itself has the events of each thread one after the other.
      events.setOrdered(true);
      events.onEvent(ALLOCATE, event -> tell(history, () -> allocate(event, history)));
      events.onEvent(REALLOCATE, event -> tell(history, () -> reallocate(event, history)));
      events.onEvent(FREE, event -> tell(history, () -> free(event, history)));
      // Without a handler, what a handler throws is printed, and the stream goes on.
      FirstFailure failure = new FirstFailure();
      events.onError(failure::keep);
      events.start();
      failure.rethrow();
    }
    return history;
  }

  private static void allocate(RecordedEvent event, BufferHistory history) throws IOException {
    if (isDirect(event) && event.getInt("size") > 0) {
      history.allocated(micros(event), thread(event), address(event), event.getInt("size"));
    }
  }

  private static void reallocate(RecordedEvent event, BufferHistory history) throws IOException {
    if (isDirect(event)) {
      history.reallocated(micros(event), thread(event), address(event));
    }
  }

  private static void free(RecordedEvent event, BufferHistory history) throws IOException {
    if (isDirect(event)) {
      history.freed(micros(event), address(event));
    }
  }

  private static boolean isDirect(RecordedEvent event) {
    return event.getBoolean("direct") && address(event) != 0;
  }

  private static long address(RecordedEvent event) {
    return event.getLong("address");
  }

  private static long thread(RecordedEvent event) {
    return event.getThread() == null ? 0 : event.getThread().getId();
  }

  private static long micros(RecordedEvent event) {
    Instant start = event.getStartTime();
    return TimeUnit.SECONDS.toMicros(start.getEpochSecond()) + start.getNano() / 1_000;
  }

  private static void tell(BufferHistory history, Handler handler) {
    try {
      if (!history.isFull()) {
        handler.handle();
      }
    } catch (IOException unwritable) {
      throw new UncheckedIOException(unwritable);
    }
  }

  @FunctionalInterface
  private interface Handler {
    void handle() throws IOException;
  }
}
