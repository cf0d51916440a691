package dev.weir.replication.receive;

import dev.weir.replication.manifest.Entry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A file that is being filled. It is finished by whoever gives back the last claim on it: each
 * chunk that has to come has one, and the plan while it goes through the file. Any thread.
 */
final class TargetFile implements ChunkTarget {
  private final Entry entry;
  private final FileChannel channel;
  private final Consumer<TargetFile> onLeft;
  private final AtomicInteger claims = new AtomicInteger(1);

  /**
   * A file with the claim of its caller.
   *
   * @param onLeft finishes and closes it
   */
  TargetFile(Entry entry, FileChannel channel, Consumer<TargetFile> onLeft) {
    this.entry = entry;
    this.channel = channel;
    this.onLeft = onLeft;
  }

  @Override
  public Entry entry() {
    return entry;
  }

  @Override
  public FileChannel channel() {
    return channel;
  }

  @Override
  public void claim() {
    claims.incrementAndGet();
  }

  @Override
  public void giveBack() {
    if (claims.decrementAndGet() == 0) {
      onLeft.accept(this);
    }
  }

  /** Gives the file its length: a hole at its end has to be made, what is beyond it goes. */
  void fit() throws IOException {
    long size = channel.size();
    if (size > entry.size()) {
      channel.truncate(entry.size());
    } else if (size < entry.size()) {
      channel.write(ByteBuffer.allocate(1), entry.size() - 1);
    }
  }
}
