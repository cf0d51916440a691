package dev.weir.lab.trace;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.lab.files.WholeFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Writes a trace into a file. What was there stays until {@link #finish}, and for good if that is
 * not reached. Not thread-safe.
 */
public final class TraceWriter implements TraceSink, Closeable {
  private final WholeFile whole;
  private final FileChannel file;
  private final ByteBuffer payload = TraceLayout.buffer(TraceLayout.MAX_CHUNK_BYTES);
  private final SlotNumbers slots = new SlotNumbers();
  private final TotalsSink sums = new TotalsSink();
  private int phases;

  private TraceWriter(WholeFile whole, FileChannel file) {
    this.whole = whole;
    this.file = file;
  }

  /**
   * Begins a file.
   *
   * @throws IOException if it cannot be written
   */
  public static TraceWriter create(Path path) throws IOException {
    WholeFile whole = WholeFile.of(path);
    FileChannel file =
        FileChannel.open(
            whole.draft(),
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE);
    TraceWriter writer = new TraceWriter(whole, file);
    writer.writeFully(writer.header(/* complete= */ false));
    return writer;
  }

  @Override
  public void allocate(int slot, int bytes) throws IOException {
    if (bytes < 1 || slots.take() != slot) {
      throw new IllegalArgumentException(
          "block of " + bytes + " bytes in slot " + slot + ": not at least 1, or not its slot");
    }
    sums.allocate(slot, bytes);
    put(TraceLayout.number(TraceLayout.ALLOCATE, bytes), new byte[0]);
  }

  @Override
  public void release(int slot) throws IOException {
    if (!slots.tryGive(slot)) {
      throw new IllegalArgumentException("no block in slot " + slot);
    }
    sums.release(slot);
    put(TraceLayout.number(TraceLayout.RELEASE, slot), new byte[0]);
  }

  @Override
  public void grow(int slot, int bytes) throws IOException {
    if (bytes < 1 || !slots.isTaken(slot)) {
      throw new IllegalArgumentException(
          "a growth to " + bytes + " bytes in slot " + slot + ": not at least 1, or no block");
    }
    sums.grow(slot, bytes);
    put(TraceLayout.number(TraceLayout.GROW, slot), new byte[0]);
    TraceLayout.putNumber(payload, bytes);
  }

  @Override
  public void thread(int thread) throws IOException {
    if (thread < 0 || thread >= TraceLayout.MAX_THREADS) {
      throw new IllegalArgumentException("thread %d: not below 65,536".formatted(thread));
    }
    sums.thread(thread);
    put(TraceLayout.number(TraceLayout.THREAD, thread), new byte[0]);
  }

  @Override
  public void lost(long events) throws IOException {
    if (events < 1) {
      throw new IllegalArgumentException("%d events lost: not at least 1".formatted(events));
    }
    sums.lost(events);
    put(TraceLayout.number(TraceLayout.LOST, events), new byte[0]);
  }

  @Override
  public void phase(TracePhase phase) throws IOException {
    if (phases == TraceLayout.MAX_PHASES) {
      throw new IllegalArgumentException("more than %d phases".formatted(phases));
    }
    phases++;
    byte[] label = phase.label().getBytes(UTF_8);
    sums.phase(phase);
    put(
        TraceLayout.number(
            TraceLayout.PHASE, (long) label.length << 2 | TraceLayout.code(phase.kind())),
        label);
  }

  @Override
  public void pause(long micros) throws IOException {
    if (micros < 1 || micros > TraceLayout.MAX_PAUSE_MICROS) {
      throw new IllegalArgumentException(
          "pause of %d µs: not from 1 to %d".formatted(micros, TraceLayout.MAX_PAUSE_MICROS));
    }
    sums.pause(micros);
    put(TraceLayout.number(TraceLayout.PAUSE, micros), new byte[0]);
  }

  /**
   * Ends the trace.
   *
   * @return what it adds up to
   */
  public TraceTotals finish() throws IOException {
    writeChunk();
    writeFully(TraceLayout.buffer(TraceLayout.CHUNK_HEADER_BYTES));
    ByteBuffer header = header(/* complete= */ true);
    while (header.hasRemaining()) {
      file.write(header, header.position());
    }
    file.close();
    whole.finish();
    return sums.totals();
  }

  @Override
  public void close() throws IOException {
    file.close();
    whole.close();
  }

  private ByteBuffer header(boolean complete) {
    return TraceLayout.encodeHeader(new TraceLayout.Header(complete, sums.totals()));
  }

  private void put(long number, byte[] tail) throws IOException {
    if (payload.remaining() < TraceLayout.MAX_EVENT_BYTES) {
      writeChunk();
    }
    TraceLayout.putNumber(payload, number);
    payload.put(tail);
  }

  private void writeChunk() throws IOException {
    if (payload.position() > 0) {
      payload.flip();
      writeFully(
          TraceLayout.buffer(TraceLayout.CHUNK_HEADER_BYTES)
              .putInt(payload.limit())
              .putInt(TraceLayout.crc(payload, payload.limit()))
              .flip());
      writeFully(payload);
      payload.clear();
    }
  }

  private void writeFully(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      file.write(bytes);
    }
  }
}
