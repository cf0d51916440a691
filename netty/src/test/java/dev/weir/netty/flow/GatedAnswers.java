package dev.weir.netty.flow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.write.Outlet;
import dev.weir.netty.write.Producer;
import dev.weir.netty.write.WriteGate;
import dev.weir.netty.write.WriteGateOptions;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * Each body is the answer to itself, in pieces for which a real write gate asks: its memory goes
 * back when its peer has taken the last of them. A peer takes all that is queued for it at a time,
 * or never anything.
 */
final class GatedAnswers implements Answers {
  static final int PIECES = 3;
  static final int PIECE_BYTES = 16 << 10;

  /** Two pieces are beyond its high water mark, half of that. */
  private static final int CHANNEL_BYTES = 4 * PIECE_BYTES;

  /** The gate closes when three pieces are queued, and opens when two are. */
  private static final int TOTAL_BYTES = CHANNEL_BYTES;

  private static final Duration SLOW_TIME = Duration.ofSeconds(1);
  private static final int TAKE = FIRST_EVENT;
  private static final int TIME = FIRST_EVENT + 10;

  /** One that answers, and its peer. */
  private static final class Line extends ChannelOutboundHandlerAdapter {
    private final EmbeddedChannel channel;
    private int sent;
    private int queued;
    private int queuedAtTime;
    private boolean isOver;

    Line(EmbeddedChannel channel) {
      this.channel = channel;
    }

    /** What is flushed stays queued until the peer takes it. */
    @Override
    public void flush(ChannelHandlerContext ctx) {}

    void take() {
      queued = 0;
      channel.pipeline().context(this).flush();
      channel.runPendingTasks();
      channel.releaseOutbound();
    }

    void passTime() {
      queuedAtTime = queued;
      channel.advanceTimeBy(SLOW_TIME.toNanos(), TimeUnit.NANOSECONDS);
      channel.runScheduledPendingTasks();
      channel.runPendingTasks();
    }
  }

  private final Set<Integer> stuck;
  private final boolean timePasses;
  private final WriteGate gate;
  private final Line[] lines = new Line[AdmissionWorld.BODIES];

  /**
   * Answers with a gate of its own.
   *
   * @param slowBytes of the gate
   * @param stuck whose peers never take anything
   * @param timePasses for those peers
   */
  GatedAnswers(int slowBytes, Set<Integer> stuck, boolean timePasses) {
    this.stuck = new TreeSet<>(stuck);
    this.timePasses = timePasses;
    gate = new WriteGate(new WriteGateOptions(CHANNEL_BYTES, TOTAL_BYTES, slowBytes, SLOW_TIME));
  }

  /** Slow peers are those that leave more than the low water mark, as by default. */
  static int slowByDefault() {
    return CHANNEL_BYTES / 4;
  }

  /** Slow peers are only those that are in the way of others. */
  static int slowForOthersOnly() {
    return TOTAL_BYTES;
  }

  @Override
  public ChannelHandler handler(Channel channel, int index) {
    Line line = new Line((EmbeddedChannel) channel);
    lines[index] = line;
    line.channel.freezeTime();
    channel.pipeline().addFirst(line, gate.newHandler());
    return new SimpleChannelInboundHandler<FullHttpRequest>() {
      @Override
      protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
        WriteGate.pull(channel, new Pieces(line, request.content().retain()));
      }
    };
  }

  /** A body, piece by piece. */
  private static final class Pieces implements Producer {
    private final Line line;
    private final ByteBuf body;

    Pieces(Line line, ByteBuf body) {
      this.line = line;
      this.body = body;
    }

    @Override
    public void produce(Outlet outlet) {
      while (outlet.isReady()) {
        if (line.sent == 0) {
          outlet.write(new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK));
        }
        outlet.write(new DefaultHttpContent(body.readRetainedSlice(PIECE_BYTES)));
        line.sent++;
        line.queued++;
        if (line.sent == PIECES) {
          outlet.write(LastHttpContent.EMPTY_LAST_CONTENT);
          end();
          outlet.complete();
        }
      }
    }

    @Override
    public void stopped(Throwable cause) {
      end();
    }

    private void end() {
      if (!line.isOver) {
        line.isOver = true;
        body.release();
      }
    }
  }

  @Override
  public List<Integer> events() {
    List<Integer> events = new ArrayList<>();
    for (int i = 0; i < lines.length; i++) {
      if (lines[i].queued > 0 && lines[i].channel.isActive()) {
        if (!stuck.contains(i)) {
          events.add(TAKE + i);
        } else if (timePasses) {
          events.add(TIME + i);
        }
      }
    }
    return events;
  }

  @Override
  public void happen(int event) {
    if (event >= TIME) {
      lines[event - TIME].passTime();
    } else {
      lines[event - TAKE].take();
    }
  }

  /** Those that take something have all. */
  @Override
  public boolean areDone() {
    for (int i = 0; i < lines.length; i++) {
      if (!stuck.contains(i) && !hasAll(i)) {
        return false;
      }
    }
    return true;
  }

  private boolean hasAll(int index) {
    return lines[index].sent == PIECES && lines[index].queued == 0;
  }

  @Override
  public boolean isKept(int index) {
    return index < lines.length
        && stuck.contains(index)
        && lines[index].sent > 0
        && lines[index].channel.isActive();
  }

  @Override
  public void check() {
    assertThat(gate.refusals()).as("writes beyond a bound").isZero();
    assertThat(gate.queuedBytes()).as("bytes queued").isBetween(0L, (long) TOTAL_BYTES);
    for (int i = 0; i < lines.length; i++) {
      assertThat(lines[i].channel.isActive())
          .as("the connection of one that takes something")
          .isIn(true, !stuck.contains(i));
    }
    if (areDone() && stuck.isEmpty()) {
      assertThat(gate.queuedBytes()).as("bytes queued at the end").isZero();
    }
  }

  @Override
  public String state() {
    StringBuilder state = new StringBuilder(gate.isClosed() ? " writes stop" : " writes go on");
    for (Line line : lines) {
      state
          .append(line.channel.isActive() ? " open " : " closed ")
          .append(line.sent)
          .append(line.queued)
          .append(line.queuedAtTime)
          .append(line.channel.isWritable() ? 'w' : 'n');
    }
    return state.toString();
  }
}
