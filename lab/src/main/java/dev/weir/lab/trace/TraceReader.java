package dev.weir.lab.trace;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Reads a trace from a file, a chunk at a time; the file may be compressed with gzip. Whatever is
 * wrong with the file ends the reading with a {@link TraceFormatException}; events of a damaged
 * chunk are not handed out. Not thread-safe.
 */
public final class TraceReader implements TraceSource {
  /** The first two bytes of a gzip file (RFC 1952). */
  private static final byte[] GZIP = {0x1f, (byte) 0x8b};

  private final Path path;
  private final ReadableByteChannel file;
  private final TraceLayout.Header header;
  private final TraceTotals totals;
  private final ByteBuffer payload = TraceLayout.buffer(TraceLayout.MAX_CHUNK_BYTES);
  private final SlotNumbers slots = new SlotNumbers();
  private final TotalsSink sums = new TotalsSink();
  private long eventsRead;
  private int phases;
  private boolean ended;

  private TraceReader(Path path, InputStream stored) throws IOException {
    this.path = path;
    this.file = Channels.newChannel(unpacked(stored));
    this.header = readHeader();
    this.totals = header.totals();
    payload.limit(0);
  }

  /**
   * Opens a trace.
   *
   * @throws TraceFormatException if the file is no complete trace of a version this program reads
   * @throws IOException if it cannot be read
   */
  public static TraceReader open(Path path) throws IOException {
    InputStream file;
    try {
      file = new BufferedInputStream(Files.newInputStream(path));
    } catch (NoSuchFileException missing) {
      throw new IOException("no trace '" + path + "'", missing);
    }
    try {
      return new TraceReader(path, file);
    } catch (IOException | RuntimeException unreadable) {
      file.close();
      throw unreadable;
    }
  }

  @Override
  public TraceTotals totals() {
    return totals;
  }

  @Override
  public boolean step(TraceSink sink) throws IOException {
    if (!payload.hasRemaining() && !readChunk()) {
      return false;
    }
    long number = TraceLayout.takeNumber(payload);
    if (number < 0) {
      throw damaged("an event is cut off");
    }
    eventsRead++;
    long argument = TraceLayout.argument(number, header.kindBits());
    switch (TraceLayout.kind(number, header.kindBits())) {
      case TraceLayout.RELEASE -> release(argument, sink);
      case TraceLayout.ALLOCATE -> allocate(argument, sink);
      case TraceLayout.PAUSE -> pause(argument, sink);
      case TraceLayout.PHASE -> phase(argument, sink);
      case TraceLayout.THREAD -> thread(argument, sink);
      case TraceLayout.GROW -> grow(argument, sink);
      case TraceLayout.LOST -> lost(argument, sink);
      default -> throw damaged("an event of unknown kind");
    }
    return true;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  private void release(long slot, TraceSink sink) throws IOException {
    if (!slots.tryGive(slot)) {
      throw damaged("slot " + slot + " holds no block");
    }
    sums.release((int) slot);
    sink.release((int) slot);
  }

  private void allocate(long bytes, TraceSink sink) throws IOException {
    if (bytes < 1 || bytes > Integer.MAX_VALUE) {
      throw damaged("a block of " + bytes + " bytes");
    }
    int slot = slots.take();
    if (slot >= totals.slots()) {
      throw damaged("more blocks live than its header says");
    }
    sums.allocate(slot, (int) bytes);
    sink.allocate(slot, (int) bytes);
  }

  private void grow(long slot, TraceSink sink) throws IOException {
    long bytes = TraceLayout.takeNumber(payload);
    if (!slots.isTaken(slot)) {
      throw damaged("slot " + slot + " holds no block");
    }
    if (bytes < 1 || bytes > Integer.MAX_VALUE) {
      throw damaged("a block of " + bytes + " bytes");
    }
    sums.grow((int) slot, (int) bytes);
    sink.grow((int) slot, (int) bytes);
  }

  private void thread(long thread, TraceSink sink) throws IOException {
    if (thread >= TraceLayout.MAX_THREADS) {
      throw damaged("thread %d, not below %,d".formatted(thread, TraceLayout.MAX_THREADS));
    }
    sums.thread((int) thread);
    sink.thread((int) thread);
  }

  private void lost(long events, TraceSink sink) throws IOException {
    if (events < 1) {
      throw damaged("no event is lost");
    }
    sums.lost(events);
    sink.lost(events);
  }

  private void pause(long micros, TraceSink sink) throws IOException {
    if (micros < 1 || micros > TraceLayout.MAX_PAUSE_MICROS) {
      throw damaged(
          "a pause of %,d µs, not of 1 to %,d".formatted(micros, TraceLayout.MAX_PAUSE_MICROS));
    }
    sums.pause(micros);
    sink.pause(micros);
  }

  private void phase(long argument, TraceSink sink) throws IOException {
    long length = argument >>> 2;
    TracePhase.Kind kind = TraceLayout.phaseKind((int) argument & 3);
    if (length > TracePhase.MAX_LABEL_BYTES || length > payload.remaining()) {
      throw damaged("a label is cut off");
    }
    if (kind == null || (kind == TracePhase.Kind.OLDER && header.kindBits() < 3)) {
      throw damaged("a phase of unknown kind");
    }
    if (++phases > TraceLayout.MAX_PHASES) {
      throw damaged("more than %,d phases".formatted(TraceLayout.MAX_PHASES));
    }
    byte[] label = new byte[(int) length];
    payload.get(label);
    try {
      TracePhase phase =
          new TracePhase(UTF_8.newDecoder().decode(ByteBuffer.wrap(label)).toString(), kind);
      sums.phase(phase);
      sink.phase(phase);
    } catch (CharacterCodingException notText) {
      throw damaged("a label is no text");
    }
  }

  private TraceLayout.Header readHeader() throws IOException {
    ByteBuffer start = readStart(TraceLayout.VERSION_END);
    try {
      int length = TraceLayout.headerBytes(start.duplicate().order(start.order()));
      ByteBuffer rest = readStart(length - TraceLayout.VERSION_END);
      TraceLayout.Header read =
          TraceLayout.decodeHeader(TraceLayout.buffer(length).put(start).put(rest).flip());
      if (!read.complete()) {
        throw new TraceFormatException(
            "'" + path + "' is half a trace: whoever wrote it did not finish");
      }
      return read;
    } catch (IllegalArgumentException other) {
      throw new TraceFormatException("'" + path + "' " + other.getMessage());
    }
  }

  private ByteBuffer readStart(int length) throws IOException {
    ByteBuffer bytes = TraceLayout.buffer(length);
    if (!readFully(bytes)) {
      throw new TraceFormatException("'" + path + "' is no trace: it is too short for one");
    }
    return bytes;
  }

  private boolean readChunk() throws IOException {
    if (ended) {
      return false;
    }
    ByteBuffer header = TraceLayout.buffer(TraceLayout.CHUNK_HEADER_BYTES);
    if (!readFully(header)) {
      throw truncated();
    }
    int length = header.getInt();
    int crc = header.getInt();
    if (length == 0) {
      ended = true;
      if (crc != 0 || !sums.totals().equals(totals)) {
        throw damaged("it adds up to %s, and its header says %s".formatted(sums.totals(), totals));
      }
      if (readFully(TraceLayout.buffer(1))) {
        throw damaged("more follows its end");
      }
      return false;
    }
    if (length < 0 || length > TraceLayout.MAX_CHUNK_BYTES) {
      throw damaged("a chunk of " + length + " bytes");
    }
    payload.clear().limit(length);
    if (!readFully(payload)) {
      throw truncated();
    }
    if (TraceLayout.crc(payload, length) != crc) {
      throw damaged("the checksum of a chunk is wrong");
    }
    return true;
  }

  private InputStream unpacked(InputStream stored) throws IOException {
    stored.mark(GZIP.length);
    boolean packed = Arrays.equals(stored.readNBytes(GZIP.length), GZIP);
    stored.reset();
    try {
      return packed ? new GZIPInputStream(stored) : stored;
    } catch (EOFException | ZipException damaged) {
      throw badlyPacked(damaged);
    }
  }

  /** Fills the buffer and flips it; false if the file ends before. */
  private boolean readFully(ByteBuffer bytes) throws IOException {
    try {
      while (bytes.hasRemaining()) {
        if (file.read(bytes) < 0) {
          return false;
        }
      }
    } catch (EOFException | ZipException damaged) {
      throw badlyPacked(damaged);
    }
    bytes.flip();
    return true;
  }

  private TraceFormatException badlyPacked(IOException damaged) {
    return new TraceFormatException(
        "'%s' is a damaged gzip file: %s".formatted(path, damaged.getMessage()));
  }

  private TraceFormatException truncated() {
    return new TraceFormatException(
        "trace '%s' is cut off: it ends after %,d of %,d events"
            .formatted(path, eventsRead, totals.events()));
  }

  private TraceFormatException damaged(String what) {
    return new TraceFormatException(
        "trace '%s' is damaged behind event %,d: %s".formatted(path, eventsRead, what));
  }
}
