package dev.weir.replication.manifest;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads a manifest in bounded memory: {@link #next} gives an entry, {@link #nextRun} the chunks of
 * the file that it gave last. Everything is checked as it is read, and the whole at its end. For
 * one thread.
 */
public final class ManifestReader implements Closeable {
  private static final int HEAD_BYTES = 12;

  private final CheckedInputStream checked;
  private final DataInputStream in;

  /** Null where reading began in the middle: a manifest that was checked before. */
  private final @Nullable PathOrder order;

  private Summary summary = Summary.EMPTY;
  private long position = HEAD_BYTES;
  private long entryPosition = HEAD_BYTES;
  private long size;
  private long chunk;
  private long chunks;

  private ManifestReader(FileChannel file, @Nullable PathOrder order) {
    // Small pieces for the checksum: it must stop right in front of the one that is stored.
    checked =
        new CheckedInputStream(
            new BufferedInputStream(Channels.newInputStream(file), 1 << 16), new CRC32C());
    in = new DataInputStream(checked);
    this.order = order;
  }

  /**
   * Opens a manifest.
   *
   * @throws ManifestException when it is none
   */
  public static ManifestReader open(Path file) throws IOException {
    ManifestReader reader =
        new ManifestReader(FileChannel.open(file, StandardOpenOption.READ), new PathOrder());
    try {
      reader.readHead();
      return reader;
    } catch (IOException e) {
      reader.close();
      throw e;
    }
  }

  /**
   * Opens a manifest that has been checked before, at an entry: a {@code position()} of writing.
   */
  public static ManifestReader at(Path file, long position) throws IOException {
    FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
    channel.position(Math.max(HEAD_BYTES, position));
    return new ManifestReader(channel, null);
  }

  /** Reads a whole manifest, and says what it adds up to. */
  public static Summary check(Path file) throws IOException {
    try (ManifestReader reader = open(file)) {
      while (reader.next() != null) {
        // The reader checks.
      }
      return reader.summary;
    }
  }

  private void readHead() throws IOException {
    try {
      if (in.readLong() != ManifestLayout.MAGIC) {
        throw new ManifestException("it does not begin as one of this version");
      }
      int bytes = in.readInt();
      if (bytes != ManifestLayout.CHUNK_BYTES) {
        throw new ManifestException("its chunks have " + bytes + " bytes");
      }
    } catch (EOFException e) {
      throw endsEarly();
    }
  }

  /**
   * The next entry, or null at the end. Runs of the last file that were not asked for are passed
   * over.
   */
  public @Nullable Entry next() throws IOException {
    while (nextRun() != null) {
      // To the next entry.
    }
    try {
      int kind = in.readUnsignedByte();
      return switch (kind) {
        case ManifestLayout.END -> {
          readEnd();
          yield null;
        }
        case ManifestLayout.DIRECTORY, ManifestLayout.FILE ->
            readEntry(kind == ManifestLayout.DIRECTORY);
        default -> throw new ManifestException("an entry is of the kind " + kind);
      };
    } catch (EOFException e) {
      throw endsEarly();
    }
  }

  /**
   * Where the last entry begins, for {@link #at}; of a reader that began at the manifest's first.
   */
  public long entryPosition() {
    return entryPosition;
  }

  private Entry readEntry(boolean isDirectory) throws IOException {
    byte[] bytes = new byte[in.readUnsignedShort()];
    in.readFully(bytes);
    entryPosition = position;
    position += (isDirectory ? 5 : 13) + bytes.length;
    String path = decode(bytes);
    if (order != null) {
      order.accept(path, isDirectory);
    }
    int mode = in.readUnsignedShort();
    if ((mode & ~ManifestLayout.MODES) != 0) {
      throw new ManifestException("'%s' has the mode %o".formatted(path, mode));
    }
    size = isDirectory ? 0 : in.readLong();
    if (size < 0) {
      throw new ManifestException("'%s' has %d bytes".formatted(path, size));
    }
    try {
      summary = summary.plusEntry(size);
    } catch (ArithmeticException e) {
      throw new ManifestException("its files have more than 2^63 bytes, with '%s'".formatted(path));
    }
    chunk = 0;
    chunks = ManifestLayout.chunks(size);
    return new Entry(isDirectory, path, mode, size);
  }

  /** The next chunks of the last file, or null where there are no more. */
  public @Nullable Run nextRun() throws IOException {
    if (chunk == chunks) {
      return null;
    }
    try {
      int count = in.readInt();
      long length = Math.abs((long) count);
      if (count == 0 || count > ManifestLayout.MAX_RUN_CHUNKS || length > chunks - chunk) {
        throw new ManifestException("a file has a run of " + count + " chunks");
      }
      Run run;
      if (count < 0) {
        run = Run.hole(chunk, length);
      } else {
        int[] crcs = new int[count];
        long bytes = 0;
        for (int i = 0; i < count; i++) {
          crcs[i] = in.readInt();
          bytes += ManifestLayout.chunkBytes(size, chunk + i);
        }
        summary = summary.plusData(bytes);
        run = Run.data(chunk, crcs);
      }
      chunk += length;
      position += 4 + (count > 0 ? 4L * count : 0);
      return run;
    } catch (EOFException e) {
      throw endsEarly();
    }
  }

  private void readEnd() throws IOException {
    Summary stated = new Summary(in.readLong(), in.readLong(), in.readLong());
    int computed = (int) checked.getChecksum().getValue();
    int stored = in.readInt();
    if (order == null) {
      return;
    }
    if (stored != computed) {
      throw new ManifestException("its checksum is wrong");
    }
    if (!stated.equals(summary)) {
      throw new ManifestException("its end says %s, and there is %s".formatted(stated, summary));
    }
    if (in.read() >= 0) {
      throw new ManifestException("something follows its end");
    }
  }

  private static String decode(byte[] path) throws ManifestException {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(path)).toString();
    } catch (CharacterCodingException e) {
      throw new ManifestException("a path is no UTF-8");
    }
  }

  private static ManifestException endsEarly() {
    return new ManifestException("it ends early");
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
