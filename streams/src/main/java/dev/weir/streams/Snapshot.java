package dev.weir.streams;

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
 * header: a frame whose body is the format's name, version, journal number, next free id, and how
 *         many frames follow
 * then:   a frame for each stream; one for each {@link StreamState#MAX_SEGMENTS} of its segments
 *         if it has more, as it was possible once
 * </pre>
 *
 * Version 2 has such a stream; it is written only then, for an older node does not read it.
 *
 * <p>It is written beside its place and moved there when durable, so one that exists is whole.
 */
final class Snapshot {
  private static final String FORMAT = "weir snapshot";
  private static final int VERSION = 1;
  private static final int VERSION_WITH_PARTS = 2;
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
      int frames = streams.stream().mapToInt(stream -> parts(stream.state())).sum();
      record
          .putString(FORMAT)
          .putInt(frames == streams.size() ? VERSION : VERSION_WITH_PARTS)
          .putLong(sequence)
          .putLong(nextId)
          .putInt(frames);
      out.add(record.contents());
      for (Checkpoint.Entry stream : streams) {
        for (int part = 0; part < parts(stream.state()); part++) {
          record.clear();
          Map<String, ProducerState> producers = part == 0 ? stream.producers() : Map.of();
          RecordCodec.writeStream(part(stream.state(), part), producers, record);
          out.add(record.contents());
        }
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

  private static int parts(StreamState state) {
    return Math.max(1, Math.ceilDiv(state.segments().size(), StreamState.MAX_SEGMENTS));
  }

  private static StreamState part(StreamState state, int part) {
    List<Segment> segments = state.segments();
    int from = part * StreamState.MAX_SEGMENTS;
    int to = Math.min(segments.size(), from + StreamState.MAX_SEGMENTS);
    return state.withSegments(segments.subList(from, to));
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
    boolean isSnapshot = header.getString().equals(FORMAT);
    int version = header.getInt();
    if (!isSnapshot
        || (version != VERSION && version != VERSION_WITH_PARTS)
        || header.getLong() != sequence) {
      throw new DataDirectoryException(path + " is no snapshot that this version of weir can read");
    }
    long nextId = header.getLong();
    int count = header.getInt();
    List<Checkpoint.Entry> streams = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Map<String, ProducerState> producers = new HashMap<>();
      StreamState state = RecordCodec.readStream(new RecordReader(frame(in, path)), producers);
      add(new Checkpoint.Entry(state, producers), streams);
    }
    return new Contents(nextId, List.copyOf(streams));
  }

  /** Adds a stream, or a further part of the last one. */
  private static void add(Checkpoint.Entry next, List<Checkpoint.Entry> streams) {
    Checkpoint.Entry last = streams.isEmpty() ? null : streams.getLast();
    if (last == null || last.state().streamId() != next.state().streamId()) {
      streams.add(next);
      return;
    }
    List<Segment> segments = new ArrayList<>(last.state().segments());
    segments.addAll(next.state().segments());
    StreamState whole = last.state().withSegments(List.copyOf(segments));
    streams.set(streams.size() - 1, new Checkpoint.Entry(whole, last.producers()));
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
