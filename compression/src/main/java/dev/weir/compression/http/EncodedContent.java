package dev.weir.compression.http;

import dev.weir.compression.codec.CodecException;
import dev.weir.compression.codec.DirectBuffers;
import dev.weir.compression.codec.Encoder;
import dev.weir.compression.codec.Step;
import dev.weir.netty.refusal.MemoryRefusals;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.LastHttpContent;
import org.jspecify.annotations.Nullable;

/**
 * The content of one response on its way through an encoder, in buffers of bounded length, which go
 * on when they are full, at a flush and at the end. What goes on with one content is one buffer, so
 * that bounds on what is queued, which let a message through whole, hold for the compressed one as
 * for the original. Used by the channel's event loop.
 */
final class EncodedContent implements AutoCloseable {
  /** What a content that is not direct, or not in one piece, is copied through at a time. */
  private static final int STAGING_BYTES = 64 << 10;

  /** Up to so long a content waits for others, to go through the encoder together with them. */
  private static final int SHORT_BYTES = 4 << 10;

  /** So much waits at most. */
  private static final int GATHERED_BYTES = 16 << 10;

  /** What is asked for where a whole buffer is refused: pools keep a reserve for so little. */
  private static final int LEAST_BYTES = 4 << 10;

  /** What a coding may add to a content that it finds nothing in, beside a 128th. */
  private static final int OVERHEAD_BYTES = 256;

  private final Encoder encoder;
  private final ByteBufAllocator allocator;
  private final int chunkBytes;

  /** What is to come before the announced end; negative if none was announced. */
  private long leftBytes;

  private boolean ended;
  private boolean pending;

  /** Short contents that the encoder has not been given yet. */
  private @Nullable ByteBuf gathered;

  /** Whether there was no room for them; it is asked for once. */
  private boolean gathersNothing;

  /**
   * A buffer that has some output, and room for what comes of the next content: full ones go on as
   * they are, while one that is less than half full would be copied.
   */
  private @Nullable ByteBuf filling;

  /** What has come of the step that is under way; empty between steps. */
  private ByteBuf output = Unpooled.EMPTY_BUFFER;

  /** The same, if it is more than one buffer. */
  private @Nullable CompositeByteBuf joined;

  /**
   * Takes an encoder over, at the beginning of its stream.
   *
   * @param contentBytes the only length of a content that it takes; negative for any
   */
  EncodedContent(Encoder encoder, ByteBufAllocator allocator, int chunkBytes, long contentBytes) {
    this.encoder = encoder;
    this.allocator = allocator;
    this.chunkBytes = chunkBytes;
    this.leftBytes = contentBytes;
  }

  /** Whether something has been taken that was not flushed. */
  boolean isPending() {
    return pending;
  }

  /**
   * Takes a content that others may follow, as {@link #encode} does. At the announced length it is
   * the last to the encoder, which then need not keep it for what comes next.
   *
   * @throws CodecException if it goes beyond that length
   */
  ByteBuf take(ByteBuf content) {
    int bytes = content.readableBytes();
    if (leftBytes < 0) {
      return encode(content, Step.TAKE);
    }
    if (bytes > leftBytes) {
      throw new CodecException("a content is longer than its Content-Length");
    }
    leftBytes -= bytes;
    if (ended) {
      return Unpooled.EMPTY_BUFFER;
    }
    ended = leftBytes == 0;
    return encode(content, ended ? Step.END : Step.TAKE);
  }

  /**
   * Takes a content one step further: reads all of it, and leaves its release to the caller.
   *
   * @return the output that goes on with this step, which is the caller's: in one piece if it is
   *     short, else a composite of buffers of bounded length. Empty if there is none yet
   * @throws dev.weir.memory.budget.BudgetExceededError if no room for output is left; the stream
   *     cannot be continued then
   */
  ByteBuf encode(ByteBuf content, Step step) {
    boolean any = content.isReadable();
    boolean done = false;
    try {
      boolean beside = isGathered(content, step);
      if (!beside || step != Step.TAKE) {
        encodeGathered(beside ? step : Step.TAKE);
      }
      if (!beside) {
        encodePieces(content, step);
      }
      pending = step == Step.TAKE && (pending || any);
      done = true;
      return output;
    } finally {
      if (!done) {
        output.release();
      }
      output = Unpooled.EMPTY_BUFFER;
      joined = null;
    }
  }

  /**
   * Puts a short content beside others before it: each call of a library costs objects and time of
   * its own, however short the content is.
   *
   * @return false if it is too long, alone and the last, or there is no room
   */
  private boolean isGathered(ByteBuf content, Step step) {
    int bytes = content.readableBytes();
    boolean isShort = bytes <= SHORT_BYTES;
    if (gathered == null && !gathersNothing && isShort && bytes > 0 && step == Step.TAKE) {
      gathered = tryBuffer(GATHERED_BYTES);
      gathersNothing = gathered == null;
    }
    if (gathered == null || !isShort) {
      return false;
    }
    if (bytes > gathered.writableBytes()) {
      encodeGathered(Step.TAKE);
    }
    gathered.writeBytes(content, bytes);
    return true;
  }

  private void encodeGathered(Step step) {
    ByteBuf all = gathered;
    if (all != null && (all.isReadable() || step != Step.TAKE)) {
      encodeDirect(all, step);
      all.clear();
      if (step != Step.TAKE) {
        gathered = null; // The next content may be long in coming.
        all.release();
      }
    }
  }

  private void encodePieces(ByteBuf content, Step step) {
    if (DirectBuffers.isUsable(content)) {
      encodeDirect(content, step);
    } else {
      encodeCopies(content, step);
    }
  }

  /** Takes a buffer over, behind those that there are. */
  private void add(ByteBuf part) {
    boolean taken = false;
    try {
      if (joined == null && output.isReadable()) {
        CompositeByteBuf several = allocator.compositeDirectBuffer(Integer.MAX_VALUE);
        ByteBuf first = output;
        output = several;
        joined = several;
        several.addComponent(/* increaseWriterIndex= */ true, first);
      }
      taken = true;
      if (joined == null) {
        output = part;
      } else {
        joined.addComponent(/* increaseWriterIndex= */ true, part);
      }
    } finally {
      if (!taken) {
        part.release();
      }
    }
  }

  private void encodeCopies(ByteBuf content, Step step) {
    int most = Math.min(Math.max(content.readableBytes(), 1), STAGING_BYTES);
    ByteBuf staging = allocator.directBuffer(most, most);
    try {
      do {
        staging.clear().writeBytes(content, Math.min(content.readableBytes(), most));
        encodeDirect(staging, content.isReadable() ? Step.TAKE : step);
      } while (content.isReadable());
    } finally {
      staging.release();
    }
  }

  private void encodeDirect(ByteBuf source, Step step) {
    boolean done;
    do {
      ByteBuf target = takeTarget(source.readableBytes(), step);
      boolean handedOn = false;
      try {
        done = encoder.encode(source, target, step);
        int bytes = target.readableBytes();
        if (done && step == Step.TAKE && bytes > 0 && target.isWritable()) {
          handedOn = true;
          filling = target;
          return;
        }
        // Output may wait long for a slow client, and most of this room may not have been needed.
        ByteBuf exact = bytes > target.capacity() / 2 ? null : tryBuffer(bytes);
        if (exact != null) {
          add(exact.writeBytes(target, bytes));
        } else if (bytes > 0) {
          handedOn = true;
          add(target);
        }
      } finally {
        if (!handedOn) {
          target.release();
        }
      }
    } while (!done);
  }

  private ByteBuf takeTarget(int sourceBytes, Step step) {
    ByteBuf begun = filling;
    filling = null;
    return begun == null ? newTarget(sourceBytes, step) : begun;
  }

  /** Null for nothing, and where there is no room. */
  private @Nullable ByteBuf tryBuffer(int bytes) {
    try {
      return bytes == 0 ? null : allocator.directBuffer(bytes, bytes);
    } catch (OutOfMemoryError refused) {
      MemoryRefusals.require(refused);
      return null;
    }
  }

  /** Room for all that a short source can become, or for a chunk. */
  private ByteBuf newTarget(int sourceBytes, Step step) {
    long bound = (long) sourceBytes + (sourceBytes >> 7) + OVERHEAD_BYTES;
    int bytes = step == Step.END && !pending ? (int) Math.min(bound, chunkBytes) : chunkBytes;
    try {
      return allocator.directBuffer(bytes, bytes);
    } catch (OutOfMemoryError refused) {
      MemoryRefusals.require(refused);
      if (bytes <= LEAST_BYTES) {
        throw refused;
      }
      return allocator.directBuffer(LEAST_BYTES, LEAST_BYTES);
    }
  }

  /**
   * Takes the last content, and makes of it what is to be sent, which is the caller's. Its trailers
   * go with it, but for digests of what came in.
   *
   * @throws CodecException if the content has another length than was announced: of one that comes
   *     to it in one piece a library believes that it is whole
   */
  LastHttpContent end(LastHttpContent last) {
    if (!ended && leftBytes >= 0 && last.content().readableBytes() != leftBytes) {
      boolean more = last.content().readableBytes() > leftBytes;
      throw new CodecException(
          "a content is %s than its Content-Length".formatted(more ? "longer" : "shorter"));
    }
    HttpHeaders trailers = Digests.without(last.trailingHeaders());
    ByteBuf rest = ended ? take(last.content()) : encode(last.content(), Step.END);
    return Contents.last(rest, trailers);
  }

  /** Gives the encoder back, wherever its stream is. */
  @Override
  public void close() {
    ByteBuf left = gathered;
    ByteBuf unsent = filling;
    gathered = null;
    filling = null;
    try {
      encoder.close();
    } finally {
      if (left != null) {
        left.release();
      }
      if (unsent != null) {
        unsent.release();
      }
    }
  }
}
