package dev.weir.replication.imports;

import dev.weir.replication.manifest.Entry;
import dev.weir.replication.receive.Chunk;
import dev.weir.replication.receive.ChunkIntake;
import dev.weir.replication.receive.ChunkTarget;
import io.netty.buffer.ByteBuf;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whole chunks of an import that one request brings. Chunks that are there already are passed over.
 * For one event loop; has one file open at a time.
 */
public final class Part implements ChunkIntake.Listener, Closeable {
  private final Import owner;

  /** The chunks that are written, by their numbers less that of the first. */
  private final BitSet wanted;

  private final long firstNumber;
  private final @Nullable ChunkIntake intake;
  private @Nullable FileChannel open;
  private @Nullable Entry openEntry;
  private boolean closed;

  /**
   * A part.
   *
   * @param chunks none: all that comes is passed over
   */
  Part(Import owner, List<Chunk> chunks, BitSet wanted) {
    this.owner = owner;
    this.wanted = wanted;
    this.firstNumber = chunks.isEmpty() ? 0 : chunks.getFirst().number();
    this.intake = chunks.isEmpty() ? null : new ChunkIntake(chunks, this);
  }

  /** A file that is opened when its first byte comes. */
  static final class Target implements ChunkTarget {
    private final Entry entry;
    private @Nullable Part part;

    Target(Entry entry) {
      this.entry = entry;
    }

    @Override
    public Entry entry() {
      return entry;
    }

    @Override
    public FileChannel channel() throws IOException {
      if (part == null) {
        throw new IOException("nobody writes");
      }
      return part.channelOf(entry);
    }

    @Override
    public void claim() {
      // A part closes its file itself.
    }

    @Override
    public void giveBack() {
      // A part closes its file itself.
    }

    void belongsTo(Part owner) {
      part = owner;
    }
  }

  private FileChannel channelOf(Entry entry) throws IOException {
    FileChannel now = open;
    if (now != null && entry.equals(openEntry)) {
      return now;
    }
    closeFile();
    FileChannel next = owner.reopen(entry);
    open = next;
    openEntry = entry;
    return next;
  }

  /**
   * Takes the next bytes.
   *
   * @throws ImportRefusal when the import has ended meanwhile
   * @throws IOException when they cannot be written
   */
  public void accept(ByteBuf bytes) throws IOException {
    owner.requireOpen();
    owner.figures().received(bytes.readableBytes());
    if (intake == null) {
      owner.figures().repeated(bytes.readableBytes());
      bytes.skipBytes(bytes.readableBytes());
    } else {
      intake.accept(bytes);
    }
  }

  /** Chunks that have come, and are wrong. */
  public List<Chunk> wrong() {
    return intake == null ? List.of() : intake.wrong();
  }

  @Override
  public boolean isWanted(Chunk chunk) {
    return wanted.get((int) (chunk.number() - firstNumber));
  }

  @Override
  public void repeated(Chunk chunk) {
    owner.figures().repeated(chunk.bytes());
  }

  @Override
  public void verified(Chunk chunk) {
    wanted.clear((int) (chunk.number() - firstNumber));
    owner.verified(chunk);
  }

  @Override
  public void wrong(Chunk chunk) {
    owner.figures().wrong();
  }

  private void closeFile() throws IOException {
    if (open != null) {
      open.close();
      open = null;
    }
  }

  /** Leaves the chunks that have not come to others. */
  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      try {
        closeFile();
      } finally {
        owner.left(firstNumber, wanted);
      }
    }
  }
}
