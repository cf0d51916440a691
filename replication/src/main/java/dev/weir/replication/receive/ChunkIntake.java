package dev.weir.replication.receive;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Takes chunks that follow each other, writes what comes where it belongs, and checks each. A chunk
 * counts once its checksum is right; what is wrong is overwritten when it comes again. For one
 * event loop, which reads on when a part has been written: a slow disk slows the peer.
 */
public final class ChunkIntake {
  /** Hears of chunks, and says which of them are wanted. */
  public interface Listener {
    /** Whether it is written; what is there already is passed over. */
    default boolean isWanted(Chunk chunk) {
      return true;
    }

    /** It has come, and was not wanted. */
    default void repeated(Chunk chunk) {}

    /** It has come, and is right. */
    void verified(Chunk chunk);

    /** It has come, and is wrong. */
    void wrong(Chunk chunk);
  }

  private final List<Chunk> chunks;
  private final Listener listener;
  private final CRC32C crc = new CRC32C();
  private final BitSet bad = new BitSet();
  private int index;
  private int done;

  /** Expects the first byte of the first chunk. */
  public ChunkIntake(List<Chunk> chunks, Listener listener) {
    this.chunks = chunks;
    this.listener = listener;
  }

  /** Chunks that have not come whole. */
  public List<Chunk> missing() {
    return new ArrayList<>(chunks.subList(index, chunks.size()));
  }

  /** Chunks that have come, and are wrong. */
  public List<Chunk> wrong() {
    return bad.stream().mapToObj(chunks::get).toList();
  }

  /**
   * Takes the next bytes.
   *
   * @throws IOException when they cannot be written
   */
  public void accept(ByteBuf part) throws IOException {
    while (part.isReadable()) {
      Chunk chunk = chunks.get(index);
      int bytes = Math.min(part.readableBytes(), chunk.bytes() - done);
      boolean wanted = listener.isWanted(chunk);
      if (wanted) {
        write(chunk, part.nioBuffer(part.readerIndex(), bytes));
      }
      part.skipBytes(bytes);
      done += bytes;
      if (done == chunk.bytes()) {
        if (wanted) {
          check(chunk);
        } else {
          listener.repeated(chunk);
        }
        crc.reset();
        done = 0;
        index++;
      }
    }
  }

  private void write(Chunk chunk, ByteBuffer content) throws IOException {
    crc.update(content.duplicate());
    long position = chunk.fileOffset() + done;
    while (content.hasRemaining()) {
      position += chunk.file().channel().write(content, position);
    }
  }

  private void check(Chunk chunk) {
    if ((int) crc.getValue() == chunk.crc()) {
      listener.verified(chunk);
    } else {
      bad.set(index);
      listener.wrong(chunk);
    }
  }
}
