package dev.weir.server.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * All streams at the moment when a journal began, in one file.
 *
 * <pre>
 * header: a frame whose body is the format's name, version, journal number, next free id, count
 * then:   a frame for each stream
 * </pre>
 *
 * It is written beside its place and moved there when durable, so one that exists is whole.
 */
final class Snapshot {
  private static final String FORMAT = "weir snapshot";
  private static final int VERSION = 1;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private Snapshot() {}

  /** What a snapshot holds. */
  record Contents(long nextId, List<Checkpoint.Entry> streams) {}

  static void write(
      Disk disk, StoreLayout layout, long sequence, long nextId, List<Checkpoint.Entry> streams)
      throws IOException {
    Path target = layout.snapshot(sequence);
    Path temporary = target.resolveSibling(target.getFileName() + StoreLayout.TEMPORARY);
    disk.delete(temporary);
    try (DiskFile file = disk.create(temporary)) {
      FrameWriter out = new FrameWriter(file);
      RecordWriter record = new RecordWriter();
      record
          .putString(FORMAT)
          .putInt(VERSION)
          .putLong(sequence)
          .putLong(nextId)
          .putInt(streams.size());
      out.add(record.contents());
      for (Checkpoint.Entry stream : streams) {
        record.clear();
        RecordCodec.writeStream(stream.state(), stream.producers(), record);
        out.add(record.contents());
      }
      out.flush();
      file.sync();
    } catch (Throwable e) {
      // The next one has another number, and so another name.
      try {
        disk.delete(temporary);
      } catch (Throwable notDeleted) {
        e.addSuppressed(notDeleted);
      }
      throw e;
    }
    disk.move(temporary, target);
    disk.syncDirectory(layout.journalDirectory());
  }

  static Contents read(Disk disk, StoreLayout layout, long sequence) throws IOException {
    Path path = layout.snapshot(sequence);
    try (DiskFile file = disk.openForReading(path)) {
      return read(new FrameReader(file, 0), path, sequence);
    } catch (RuntimeException e) {
      throw new DataDirectoryException(
          path
              + " has a record that this version of weir cannot read; "
              + "restore the data directory from a copy",
          e);
    }
  }

  private static Contents read(FrameReader in, Path path, long sequence) throws IOException {
    RecordReader header = new RecordReader(frame(in, path));
    if (!header.getString().equals(FORMAT)
        || header.getInt() != VERSION
        || header.getLong() != sequence) {
      throw new DataDirectoryException(path + " is no snapshot that this version of weir can read");
    }
    long nextId = header.getLong();
    int count = header.getInt();
    List<Checkpoint.Entry> streams = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Map<String, ProducerState> producers = new HashMap<>();
      StreamState state = RecordCodec.readStream(new RecordReader(frame(in, path)), producers);
      streams.add(new Checkpoint.Entry(state, producers));
    }
    return new Contents(nextId, List.copyOf(streams));
  }

  private static ByteBuffer frame(FrameReader in, Path path) throws IOException {
    ByteBuffer body = in.next();
    if (body == null) {
      throw new DataDirectoryException(
          path
              + " is damaged at byte "
              + in.position()
              + "; restore the data directory from a copy");
    }
    return body;
  }

  /** Frames in large writes. */
  private static final class FrameWriter {
    private final DiskFile file;
    private final ByteBuffer buffer =
        ByteBuffer.allocate(FrameLayout.HEADER_BYTES + FrameLayout.MAX_BODY_BYTES);
    private long position;

    FrameWriter(DiskFile file) {
      this.file = file;
    }

    void add(ByteBuffer body) throws IOException {
      if (body.remaining() > FrameLayout.MAX_BODY_BYTES) {
        throw new IOException(
            "a stream's record of "
                + body.remaining()
                + " bytes is over the limit of "
                + FrameLayout.MAX_BODY_BYTES);
      }
      if (buffer.remaining() < FrameLayout.HEADER_BYTES + body.remaining()) {
        flush();
      }
      FrameLayout.putHeader(buffer, body.remaining(), FrameLayout.checksum(body, NOTHING));
      buffer.put(body);
    }

    void flush() throws IOException {
      buffer.flip();
      int bytes = buffer.remaining();
      file.write(buffer, position);
      position += bytes;
      buffer.clear();
    }
  }
}
