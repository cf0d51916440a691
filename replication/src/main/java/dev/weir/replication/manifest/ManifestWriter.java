package dev.weir.replication.manifest;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;

/**
 * Writes a manifest in bounded memory, entry by entry: {@link #directory}, or {@link #file} and
 * then each of its chunks. For one thread.
 */
public final class ManifestWriter implements Closeable {
  private final MessageDigest sha256 = Sha256.start();
  private final CheckedOutputStream checked;
  private final DataOutputStream out;
  private final int[] crcs = new int[ManifestLayout.MAX_RUN_CHUNKS];
  private int pendingCrcs;
  private long pendingHoles;
  private long size;
  private long chunk;
  private Summary summary = Summary.EMPTY;
  private long position;
  private long dataChunks;

  /** Writes the head. */
  public ManifestWriter(OutputStream target) throws IOException {
    checked = new CheckedOutputStream(new DigestOutputStream(target, sha256), new CRC32C());
    out = new DataOutputStream(new BufferedOutputStream(checked, 1 << 16));
    out.writeLong(ManifestLayout.MAGIC);
    out.writeInt(ManifestLayout.CHUNK_BYTES);
    position = 12;
  }

  /** Where the next entry begins, in bytes from the manifest's. */
  public long position() {
    return position;
  }

  /** The chunks of data so far. */
  public long dataChunks() {
    return dataChunks;
  }

  /** What has been written. */
  public Summary summary() {
    return summary;
  }

  /** Writes a directory. */
  public void directory(String path, int mode) throws IOException {
    head(ManifestLayout.DIRECTORY, path, mode);
    summary = summary.plusEntry(0);
  }

  /** Begins a file, whose chunks follow. */
  public void file(String path, int mode, long fileSize) throws IOException {
    head(ManifestLayout.FILE, path, mode);
    out.writeLong(fileSize);
    position += 8;
    summary = summary.plusEntry(fileSize);
    size = fileSize;
    chunk = 0;
    endWhenWhole();
  }

  /** Writes the next chunk of the file as data. */
  public void data(int crc) throws IOException {
    writeHoles();
    crcs[pendingCrcs++] = crc;
    dataChunks++;
    summary = summary.plusData(ManifestLayout.chunkBytes(size, chunk));
    chunk++;
    if (pendingCrcs == crcs.length) {
      writeCrcs();
    }
    endWhenWhole();
  }

  /** Writes the next chunks of the file as a hole. */
  public void hole(long chunks) throws IOException {
    writeCrcs();
    pendingHoles += chunks;
    chunk += chunks;
    endWhenWhole();
  }

  /** Writes chunks as another manifest has them. */
  public void run(Run run) throws IOException {
    if (run.isHole()) {
      hole(run.chunks());
      return;
    }
    for (int i = 0; i < run.chunks(); i++) {
      data(run.crc(i));
    }
  }

  private void head(int kind, String path, int mode) throws IOException {
    byte[] bytes = path.getBytes(UTF_8);
    out.writeByte(kind);
    out.writeShort(bytes.length);
    out.write(bytes);
    out.writeShort(mode & ManifestLayout.MODES);
    position += 5 + bytes.length;
  }

  private void endWhenWhole() throws IOException {
    if (chunk == ManifestLayout.chunks(size)) {
      writeCrcs();
      writeHoles();
    }
  }

  private void writeCrcs() throws IOException {
    if (pendingCrcs > 0) {
      out.writeInt(pendingCrcs);
      for (int crc : Arrays.copyOf(crcs, pendingCrcs)) {
        out.writeInt(crc);
      }
      position += 4 + 4L * pendingCrcs;
      pendingCrcs = 0;
    }
  }

  private void writeHoles() throws IOException {
    while (pendingHoles > 0) {
      int part = (int) Math.min(Integer.MAX_VALUE, pendingHoles);
      out.writeInt(-part);
      position += 4;
      pendingHoles -= part;
    }
  }

  /**
   * Writes the end.
   *
   * @return the SHA-256 of the manifest, in hexadecimal digits
   */
  public String end() throws IOException {
    out.writeByte(ManifestLayout.END);
    out.writeLong(summary.entries());
    out.writeLong(summary.bytes());
    out.writeLong(summary.dataBytes());
    out.flush();
    out.writeInt((int) checked.getChecksum().getValue());
    out.flush();
    return HexFormat.of().formatHex(sha256.digest());
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
