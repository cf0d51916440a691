package dev.weir.netty.inbound;

import dev.weir.netty.write.AbortiveClose;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Decoders behind whose losses nothing goes on. Where an allocator refuses a decoder the memory for
 * what has come, the failure goes through the pipeline as an exception, and the channel is closed.
 * Until then the handlers behind get a beginning of what the peer has sent.
 *
 * <p>Netty's decoders drop the bytes that they found no memory for, and keep the channel: what
 * comes next is taken for the continuation. Here it is released instead, whichever way it comes:
 * more bytes, what a decoder makes of the end of the channel, or what it decodes of bytes that it
 * has.
 *
 * <p>An {@code OutOfMemoryError} breaks the input, also as a cause of another exception, and so
 * does any other {@code Error}. It counts if it comes to the end of the decoders as an exception,
 * wherever it was thrown in front of that. A decoder whose own {@code exceptionCaught} passes it on
 * to nobody has to close the channel itself.
 *
 * <p>It serves the channels of connections and of HTTP/2 streams, which are reset. TLS has {@link
 * dev.weir.netty.write.FailStopTls}, and goes in front.
 */
public final class UnbrokenInput {
  // The gate is in front of the decoders, the guard is behind them. What a decoder has made before
  // it was refused something comes to the guard before the exception: Netty's decoders pass on what
  // they have made so far as they throw.

  /** A chain of causes may be a ring. */
  private static final int MAX_CAUSES = 100;

  private final Gate gate = new Gate();
  private boolean broken;

  private UnbrokenInput() {}

  /**
   * Adds decoders at the end of a pipeline, with what belongs around them. Those that are added
   * between them later are guarded too.
   *
   * @param decoders in their order; other handlers may be among them
   */
  public static void addTo(ChannelPipeline pipeline, ChannelHandler... decoders) {
    UnbrokenInput input = new UnbrokenInput();
    ChannelHandler guard = input.new Guard();
    pipeline.addLast(input.gate, guard);
    // A decoder may read as it is added: the guard is there by then.
    String end = pipeline.context(guard).name();
    boolean isFirst = true;
    for (ChannelHandler decoder : decoders) {
      if (!isFirst) {
        pipeline.addBefore(end, /* name= */ null, input.new Barrier());
      }
      pipeline.addBefore(end, /* name= */ null, decoder);
      isFirst = false;
    }
  }

  private static boolean breaks(Throwable thrown) {
    Throwable cause = thrown;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
      if (cause instanceof Error) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  /**
   * Gives the decoders one message after the other. A decoder that is given another in the middle
   * of one keeps it in a queue of its own, which nobody releases once it has thrown.
   */
  private final class Gate extends ChannelInboundHandlerAdapter {
    private final Queue<Object> waiting = new ArrayDeque<>(1);
    private boolean passing;
    private boolean readComplete;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (broken) {
        ReferenceCountUtil.release(message);
      } else if (passing) {
        waiting.add(message);
      } else {
        passAll(ctx, message);
      }
    }

    private void passAll(ChannelHandlerContext ctx, Object first) {
      passing = true;
      for (Object next = first; next != null; next = waiting.poll()) {
        if (broken) {
          ReferenceCountUtil.release(next);
        } else {
          ctx.fireChannelRead(next);
        }
      }
      passing = false;
      if (readComplete) {
        readComplete = false;
        ctx.fireChannelReadComplete();
      }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      if (waiting.isEmpty()) {
        ctx.fireChannelReadComplete();
      } else {
        readComplete = true;
      }
    }
  }

  /**
   * Between two decoders: the first goes on with what it has when the second was refused something.
   * Netty's decompressor, for one, forgets what it is given then.
   */
  private class Barrier extends ChannelInboundHandlerAdapter {
    @Override
    public final void channelRead(ChannelHandlerContext ctx, Object message) {
      if (broken) {
        ReferenceCountUtil.release(message);
      } else {
        ctx.fireChannelRead(message);
      }
    }
  }

  private final class Guard extends Barrier {
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      boolean isFirst = !broken && breaks(cause);
      broken |= isFirst;
      // A closed channel may have no handlers any more to tell.
      ctx.fireExceptionCaught(cause);
      if (isFirst) {
        // Past the decoders: a codec may take its time to end well, as that of HTTP/2 does.
        ChannelHandlerContext front = ctx.pipeline().context(gate);
        AbortiveClose.close(front == null ? ctx : front);
      }
    }
  }
}
