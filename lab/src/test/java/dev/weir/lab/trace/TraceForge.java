package dev.weir.lab.trace;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/** Makes files that look like traces to the checksums, whatever their one chunk holds. */
final class TraceForge {
  private final ByteBuffer payload = TraceLayout.buffer(TraceLayout.MAX_CHUNK_BYTES);

  void number(int kind, long argument) {
    TraceLayout.putNumber(payload, TraceLayout.number(kind, argument));
  }

  void bytes(byte[] bytes) {
    payload.put(bytes);
  }

  void write(Path file) throws IOException {
    int length = payload.position();
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    TraceTotals many = new TraceTotals(1, 1, 1, 1, 1, 1_000, 1, 1, 1, 1, 1);
    whole.write(TraceLayout.encodeHeader(new TraceLayout.Header(true, many)).array());
    if (length > 0) {
      whole.write(
          TraceLayout.buffer(TraceLayout.CHUNK_HEADER_BYTES)
              .putInt(length)
              .putInt(TraceLayout.crc(payload, length))
              .array());
      whole.write(payload.array(), 0, length);
    }
    whole.write(new byte[TraceLayout.CHUNK_HEADER_BYTES]);
    Files.write(file, whole.toByteArray());
  }
}
