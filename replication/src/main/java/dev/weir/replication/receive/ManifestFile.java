package dev.weir.replication.receive;

import dev.weir.replication.manifest.Sha256;
import dev.weir.replication.transfer.TransferException;
import io.netty.buffer.ByteBuf;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.HexFormat;

/** A manifest that comes in parts, and is written into a file. For one thread. */
public final class ManifestFile implements Closeable {
  /** Some 50 million entries. */
  private static final long MOST_BYTES = 4L << 30;

  private final FileChannel file;
  private final MessageDigest digest = Sha256.start();
  private long bytes;

  /** Begins a file, or begins it anew. */
  public ManifestFile(Path target) throws IOException {
    this.file =
        FileChannel.open(
            target,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING);
  }

  /** Takes the next bytes. */
  public void accept(ByteBuf part) throws IOException {
    bytes += part.readableBytes();
    if (bytes > MOST_BYTES) {
      throw TransferException.refused(
          "the manifest has more than %,d bytes: split the container".formatted(MOST_BYTES));
    }
    ByteBuffer content = part.nioBuffer();
    digest.update(content.duplicate());
    while (content.hasRemaining()) {
      file.write(content);
    }
  }

  /** The SHA-256 of all that came; to be asked once, at the end. */
  public String tag() {
    return HexFormat.of().formatHex(digest.digest());
  }

  /** The SHA-256 of a manifest that is there; empty when there is none. */
  public static String tagOf(Path manifest) throws IOException {
    if (!Files.exists(manifest)) {
      return "";
    }
    MessageDigest digest = Sha256.start();
    try (InputStream in = new DigestInputStream(Files.newInputStream(manifest), digest)) {
      in.transferTo(OutputStream.nullOutputStream());
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
