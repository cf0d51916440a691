package dev.weir.netty.http;

import dev.weir.netty.flow.Permit;
import dev.weir.netty.loop.LoopTasks;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A body in a file. Whatever may wait for the disk is done by a virtual thread, one piece of work
 * at a time; everything else runs on the event loop. A body that is released while such work is
 * under way is closed by who does it.
 */
final class SpilledBody implements RequestBody {
  /** The length of a body that declares none. */
  static final int UNKNOWN = -1;

  /**
   * Room in files is that much cheaper than memory, but others wait for it too: by sending slowly
   * nobody has what he has declared for longer than so many times as long, 17 hours by default. A
   * chunked body has longer, as it holds less at first: 64 MiB come within some three days.
   */
  private static final int FILE_BYTES_PER_BYTE = 8;

  private static final System.Logger LOG = System.getLogger(SpilledBody.class.getName());

  /*
   *          write           its end
   *   IDLE ────────▶ BUSY ────────────▶ IDLE
   *     │ release      │ release
   *     ▼              ▼
   *     └──────────▶ OVER     who finds it at the end of its work closes all
   *
   *   finish goes from IDLE to OVER too, with the mapping handed over.
   */
  private enum State {
    IDLE,
    BUSY,
    OVER
  }

  private final Spill spill;
  private final ByteBufAllocator allocator;
  private final int declaredBytes;
  private final int maximumBytes;
  private final SpillRoom room;
  private final AtomicReference<State> state = new AtomicReference<>(State.IDLE);

  private int lengthBytes;

  /** Of the virtual thread while the body is busy. */
  private @Nullable FileChannel file;

  private @Nullable ByteBuf mapped;

  private SpilledBody(
      Spill spill,
      ByteBufAllocator allocator,
      int declaredBytes,
      int maximumBytes,
      SpillRoom room) {
    this.spill = spill;
    this.allocator = allocator;
    this.declaredBytes = declaredBytes;
    this.maximumBytes = maximumBytes;
    this.room = room;
  }

  /**
   * Takes room for a body. Its file is opened by the first {@link #write}, which may be of nothing.
   *
   * @param declaredBytes what it declares, or {@link #UNKNOWN}
   * @throws RefusedRequestException if there is no room for what it declares, now or ever
   */
  static SpilledBody of(
      Spill spill, ByteBufAllocator allocator, int declaredBytes, int maximumBytes)
      throws RefusedRequestException {
    SpillRoom room = SpillRoom.tryTake(spill, Math.max(0, declaredBytes));
    if (room == null) {
      spill.requirePossible(declaredBytes);
      throw noRoom();
    }
    return new SpilledBody(spill, allocator, declaredBytes, maximumBytes, room);
  }

  /** Makes an answer of what has failed, which operators are to hear of. */
  static RefusedRequestException failed(Throwable failure) {
    return RefusedRequestException.overloaded(
        "the body could not be put aside: " + failure.getClass().getSimpleName(), failure);
  }

  private static RefusedRequestException noRoom() {
    return RefusedRequestException.overloaded("no memory and no room in files now, try again");
  }

  @Override
  public int heldBytes() {
    return (int) Math.min(Integer.MAX_VALUE, room.bytes() / FILE_BYTES_PER_BYTE);
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
    long allBytes = lengthBytes + (long) moreBytes;
    if (!room.tryGrowTo(allBytes)) {
      spill.requirePossible(allBytes);
      throw noRoom();
    }
    return 0;
  }

  @Override
  public void extend(Permit permit, int bytes) {
    throw new IllegalStateException("a body in a file takes no memory");
  }

  @Override
  public void append(ByteBuf content) {
    throw new IllegalStateException("a body in a file is written elsewhere");
  }

  /**
   * Writes the readable bytes of {@code content} at the end, and releases it.
   *
   * @param last whether they are the last, after which the body can be {@linkplain #finish
   *     finished}
   * @param done hears of the end, on {@code loop}: with the failure, if there was one
   */
  void write(
      ByteBuf content, boolean last, EventExecutor loop, Consumer<@Nullable Throwable> done) {
    int position = lengthBytes;
    int length = position + content.readableBytes();
    lengthBytes = length;
    state.set(State.BUSY);
    spill
        .disk()
        .aside(() -> {
          @Nullable Throwable failure = writeNow(content, position, last ? length : 0);
          if (!state.compareAndSet(State.BUSY, State.IDLE)) {
            closeAll();
          }
          // Nobody waits any more once a loop has ended: its channels have closed.
          LoopTasks.bring(loop, () -> done.accept(failure));
        });
  }

  private @Nullable Throwable writeNow(ByteBuf content, long position, int mapBytes) {
    try {
      FileChannel to = file;
      if (to == null) {
        to = spill.open();
        file = to;
      }
      long at = position;
      for (ByteBuffer part : content.nioBuffers()) {
        while (part.hasRemaining() && state.get() == State.BUSY) {
          at += to.write(part, at);
        }
      }
      if (mapBytes > 0 && state.get() == State.BUSY) {
        mapped = MappedContent.of(allocator, to, mapBytes, spill.disk(), room::close);
        to.close();
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
    ByteBuf whole = mapped;
    if (whole == null) {
      release();
      return Unpooled.EMPTY_BUFFER;
    }
    state.set(State.OVER);
    return whole;
  }

  @Override
  public ByteBuf takeGathered() {
    throw new IllegalStateException("a body in a file stays there");
  }

  /** A write that is under way ends early then, and nobody heeds its end. */
  @Override
  public void release() {
    if (state.getAndSet(State.OVER) == State.IDLE) {
      spill.disk().aside(this::closeAll);
    }
  }

  private void closeAll() {
    try {
      if (file != null) {
        file.close();
      }
    } catch (IOException failure) {
      LOG.log(System.Logger.Level.WARNING, "a file of a body could not be closed", failure);
    } finally {
      if (mapped == null) {
        room.close();
      } else {
        mapped.release();
      }
    }
  }
}
