package dev.weir.lab.recording;

import dev.weir.lab.trace.TraceSink;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import jdk.jfr.consumer.EventStream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * A Flight Recorder recording of a service on Netty 4.2.3 or newer, which tells of buffers where
 * the events of {@link BufferEvents} are enabled. Heap buffers, and buffers whose address is not
 * told, are left out.
 */
final class BufferRecording {
  private final Path file;
  private final List<OlderBlocks.Block> older;

  private BufferRecording(Path file, List<OlderBlocks.Block> older) {
    this.file = file;
    this.older = older;
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
          ("'%s' tells of no direct buffers: record with %s and %s enabled;"
                  + " Netty before 4.2.3, and all of 4.1, has no such events")
              .formatted(file, BufferEvents.ALLOCATE, BufferEvents.FREE));
    }
    OlderBlocks older = new OlderBlocks();
    read(
        file,
        event -> {
          switch (BufferEvents.kind(event)) {
            case ALLOCATE -> older.allocated(BufferEvents.address(event));
            case FREE, REALLOCATE -> older.ended(BufferEvents.address(event), event.getInt("size"));
            case LOSS, OTHER -> {}
          }
        });
    return new BufferRecording(file, older.found());
  }

  /** Streams of events pass over what they cannot read; a {@link RecordingFile} does not. */
  private static boolean tellsOfBuffers(Path file) throws IOException {
    boolean tells = false;
    try (RecordingFile events = new RecordingFile(file)) {
      while (events.hasMoreEvents()) {
        tells |= BufferEvents.kind(events.readEvent()) == BufferEvents.Kind.ALLOCATE;
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
   * @param mostEvents the trace ends after so many allocations, growths and releases, or one more
   * @return what there was
   */
  BufferHistory readInto(TraceSink sink, long mostEvents) throws IOException {
    BufferHistory history = new BufferHistory(sink, mostEvents);
    history.begin(older);
    read(
        file,
        event -> {
          if (!history.isFull()) {
            tell(event, history);
          }
        });
    return history;
  }

  private static void tell(RecordedEvent event, BufferHistory history) throws IOException {
    switch (BufferEvents.kind(event)) {
      case ALLOCATE -> {
        if (event.getInt("size") > 0) {
          history.allocated(
              micros(event), thread(event), BufferEvents.address(event), event.getInt("size"));
        }
      }
      case REALLOCATE ->
          history.reallocated(micros(event), thread(event), BufferEvents.address(event));
      case FREE -> history.freed(micros(event), thread(event), BufferEvents.address(event));
      case LOSS -> history.dropped();
      case OTHER -> {}
    }
  }

  private static void read(Path file, Handler handler) throws IOException {
    try (EventStream events = EventStream.openFile(file)) {
      // In the order of time; a recording itself has the events of each thread one after the other.
      events.setOrdered(true);
      events.onEvent(event -> {
        try {
          handler.handle(event);
        } catch (IOException unwritable) {
          throw new UncheckedIOException(unwritable);
        }
      });
      // Without a handler, what a handler throws is printed, and the stream goes on.
      FirstFailure failure = new FirstFailure();
      events.onError(failure::keep);
      events.start();
      failure.rethrow();
    }
  }

  private static long thread(RecordedEvent event) {
    return event.getThread() == null ? 0 : event.getThread().getId();
  }

  private static long micros(RecordedEvent event) {
    Instant start = event.getStartTime();
    return TimeUnit.SECONDS.toMicros(start.getEpochSecond()) + start.getNano() / 1_000;
  }

  @FunctionalInterface
  private interface Handler {
    void handle(RecordedEvent event) throws IOException;
  }
}
