package dev.weir.netty.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A body in a file. What arrives is written by a virtual thread, one piece at a time, since a disk
 * may keep its caller waiting; everything else runs on the event loop.
 */
final class SpilledBody implements RequestBody {
  /** The length of a body that declares none. */
  static final int UNKNOWN = -1;

  private final Spill spill;
  private final ByteBufAllocator allocator;
  private final int declaredBytes;
  private final int maximumBytes;
  private final FileChannel file;
  private long reservedBytes;
  private int lengthBytes;
  private boolean over;

  private SpilledBody(
      Spill spill,
      ByteBufAllocator allocator,
      int declaredBytes,
      int maximumBytes,
      FileChannel file,
      long reservedBytes) {
    this.spill = spill;
    this.allocator = allocator;
    this.declaredBytes = declaredBytes;
    this.maximumBytes = maximumBytes;
    this.file = file;
    this.reservedBytes = reservedBytes;
  }

  /**
   * Opens a file for a body.
   *
   * @param declaredBytes what it declares, or {@link #UNKNOWN}
   * @throws RefusedRequestException if there is no room for what it declares, or no file
   */
  static SpilledBody open(
      Spill spill, ByteBufAllocator allocator, int declaredBytes, int maximumBytes)
      throws RefusedRequestException {
    long reservedBytes = Math.max(0, declaredBytes);
    if (!spill.tryReserve(reservedBytes)) {
      throw noRoom();
    }
    try {
      return new SpilledBody(
          spill, allocator, declaredBytes, maximumBytes, spill.open(), reservedBytes);
    } catch (IOException failure) {
      spill.giveBack(reservedBytes);
      throw failed(failure);
    }
  }

  static RefusedRequestException failed(Throwable failure) {
    return RefusedRequestException.overloaded(
        "the body could not be put aside: " + failure.getClass().getSimpleName());
  }

  private static RefusedRequestException noRoom() {
    return RefusedRequestException.overloaded("no memory and no room in files now, try again");
  }

  @Override
  public int lengthBytes() {
    return lengthBytes;
  }

  @Override
  public int bytesToAdmit(int moreBytes) throws RefusedRequestException {
    if (declaredBytes != UNKNOWN && moreBytes > declaredBytes - lengthBytes) {
      throw DeclaredBody.tooLong(declaredBytes);
    }
    if (moreBytes > maximumBytes - lengthBytes) {
      throw RefusedRequestException.tooLarge(maximumBytes);
    }
    long missingBytes = lengthBytes + (long) moreBytes - reservedBytes;
    if (missingBytes > 0) {
      if (!spill.tryReserve(missingBytes)) {
        throw noRoom();
      }
      reservedBytes += missingBytes;
    }
    return 0;
  }

  @Override
  public void extend(ByteBuf buffer) {
    throw new IllegalStateException("a body in a file takes no memory");
  }

  @Override
  public void append(ByteBuf content) {
    throw new IllegalStateException("a body in a file is written elsewhere");
  }

  /**
   * Writes the readable bytes of {@code content} at the end, and releases it.
   *
   * @param done hears of the end, on {@code loop}: with the failure, if there was one
   */
  void write(ByteBuf content, EventExecutor loop, Consumer<@Nullable Throwable> done) {
    long position = lengthBytes;
    lengthBytes += content.readableBytes();
    Thread.startVirtualThread(() -> {
      Throwable failure = writeNow(content, position);
      try {
        loop.execute(() -> done.accept(failure));
      } catch (RejectedExecutionException eventLoopHasEnded) {
        // The channel has closed, and released this body.
      }
    });
  }

  private @Nullable Throwable writeNow(ByteBuf content, long position) {
    try {
      long at = position;
      for (ByteBuffer part : content.nioBuffers()) {
        while (part.hasRemaining()) {
          at += file.write(part, at);
        }
      }
      return null;
    } catch (Throwable failure) {
      return failure;
    } finally {
      content.release();
    }
  }

  @Override
  public ByteBuf finish() throws RefusedRequestException {
    if (declaredBytes != UNKNOWN && lengthBytes != declaredBytes) {
      throw DeclaredBody.tooShort(lengthBytes, declaredBytes);
    }
    over = true;
    long bytes = reservedBytes;
    try (file) {
      if (lengthBytes > 0) {
        return MappedContent.of(allocator, file, lengthBytes, () -> spill.giveBack(bytes));
      }
    } catch (IOException | RuntimeException failure) {
      spill.giveBack(bytes);
      throw failed(failure);
    }
    spill.giveBack(bytes);
    return Unpooled.EMPTY_BUFFER;
  }

  @Override
  public ByteBuf takeGathered() {
    throw new IllegalStateException("a body in a file stays there");
  }

  /** A write that is under way fails then, and nobody hears of it. */
  @Override
  public void release() {
    if (over) {
      return;
    }
    over = true;
    spill.giveBack(reservedBytes);
    try {
      file.close();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
