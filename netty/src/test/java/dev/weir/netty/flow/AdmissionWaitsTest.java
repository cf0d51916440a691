package dev.weir.netty.flow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.http.AggregatorOptions;
import dev.weir.netty.http.BudgetedHttpAggregator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Enumerates what a real gate and real aggregators can come to that draw on one memory: channels
 * that gather without asking, and three bodies, of declared length or growing by steps. As in a
 * pool, requests stand in one line, a wait for relief among them, and what is granted leaves
 * something to those that do not ask.
 */
class AdmissionWaitsTest {
  /** What a channel that does not ask gathers before it is done, unit by unit. */
  private static final int PLAIN_WORK = 2;

  /** The first channels; the growing ones of them come first. */
  private static final int BODIES = 3;

  /** What a body takes whose length is declared, and each of two steps of one that grows. */
  private static final int DECLARED = 2;

  private static final int STEP = 3;

  private static final int MEMORY = 9;

  /**
   * What grants leave: whatever they take, each channel that does not ask can read once more, and
   * one of them until it is done.
   */
  private static final int KEPT = 3;

  private static final int SHORT_BELOW = 5;
  private static final int TIGHT_BELOW = 6;
  private static final int RELIEF = 5;

  private static final int UNIT_BYTES = 1 << 10;

  /** What is asked for at once is given in the end: no deadline is needed for that. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void declaredBodiesAreAdmittedHoweverLongTheyWait(boolean largestFirst) {
    StateSpace space = StateSpace.of(() -> new World(largestFirst, 2, 0, /* deadlines= */ false));
    assertThat(space.states())
        .hasSizeGreaterThan(1_000)
        .anyMatch(state -> state.startsWith("closed for all"))
        .anyMatch(state -> state.contains("body waits"));
    assertThat(space.deadEnds()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void growingBodiesAreAdmittedOrRefused(boolean largestFirst) {
    assertThat(StateSpace.of(() -> new World(largestFirst, 1, 2, /* deadlines= */ true)).deadEnds())
        .isEmpty();
  }

  /** Two that hold a part each may wait for each other. It is their deadlines that end that. */
  @Test
  void withoutDeadlinesGrowingBodiesMayWaitForEver() {
    Supplier<World> beginning =
        () -> new World(/* largestFirst= */ false, 0, 2, /* deadlines= */ false);
    assertThat(StateSpace.of(beginning).deadEnds())
        .isNotEmpty()
        .allMatch(way -> {
          World there = beginning.get();
          way.forEach(there::happen);
          return there.received[0] > 0 && there.received[1] > 0;
        });
  }

  /** Who waits for memory: a body, or relief. */
  private abstract static class Waiting {
    static final int RELIEF_ITSELF = -1;

    private final int channel;
    private final int units;

    Waiting(int channel, int units) {
      this.channel = channel;
      this.units = units;
    }

    abstract void granted();

    abstract void inVain();

    @Override
    public String toString() {
      return channel == RELIEF_ITSELF ? "relief" : "body waits at " + channel;
    }
  }

  /** All in one thread; events below 10 are reads of a channel. */
  private static final class World implements StateSpace.World, Headroom, Admission {
    static final int PATIENCE_ENDS = 10;
    static final int GRANT = 11;

    /** Of channel 0. */
    static final int DEADLINE = 20;

    private final int growing;
    private final boolean deadlines;
    private final ReadGate gate;
    private final EmbeddedChannel[] channels;
    private final int[] units;
    private final int[] received;
    private final boolean[] over;
    private final List<Waiting> line = new ArrayList<>();
    private int mostUnits;
    private boolean isClosedForAll;
    private int handling;
    private int letThrough = -1;
    private boolean readSincePatience;

    World(boolean largestFirst, int plain, int growing, boolean deadlines) {
      channels = new EmbeddedChannel[BODIES + plain];
      units = new int[channels.length];
      received = new int[channels.length];
      over = new boolean[channels.length];
      this.growing = growing;
      this.deadlines = deadlines;
      gate =
          largestFirst
              ? new ReadGate(this, channel -> units[Arrays.asList(channels).indexOf(channel)])
              : new ReadGate(this);
      AggregatorOptions options =
          AggregatorOptions.upTo(2 * STEP * UNIT_BYTES)
              .withStepBytes(STEP * UNIT_BYTES)
              .withStallTimeout(Duration.ofDays(1));
      for (int i = 0; i < channels.length; i++) {
        channels[i] = new EmbeddedChannel();
        if (i >= BODIES) {
          channels[i].pipeline().addLast(gate.newHandler(), gathering(i));
        } else {
          channels[i]
              .pipeline()
              .addLast(
                  answered(i),
                  gate.newHandler(),
                  new BudgetedHttpAggregator(this, options),
                  answering());
        }
      }
    }

    private ChannelHandler gathering(int index) {
      return new ChannelInboundHandlerAdapter() {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
          hold(index, 1);
          if (units[index] == PLAIN_WORK) {
            hold(index, -PLAIN_WORK);
            over[index] = true;
          }
        }
      };
    }

    private static ChannelHandler answering() {
      return new ChannelInboundHandlerAdapter() {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
          ReferenceCountUtil.release(message);
          ctx.writeAndFlush(
              new DefaultFullHttpResponse(
                  HttpVersion.HTTP_1_1, HttpResponseStatus.OK, Unpooled.EMPTY_BUFFER));
        }
      };
    }

    private ChannelHandler answered(int index) {
      return new ChannelOutboundHandlerAdapter() {
        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
          over[index] = true;
          ctx.write(message, promise);
        }
      };
    }

    private void hold(int index, int more) {
      units[index] += more;
      mostUnits = Math.max(mostUnits, used());
    }

    private int used() {
      return Arrays.stream(units).sum();
    }

    private boolean fits(int more) {
      return used() + more <= MEMORY - KEPT;
    }

    @Override
    public CompletionStage<Permit> admit(long bytes, Duration deadline) {
      int index = handling;
      int more = Math.toIntExact(bytes / UNIT_BYTES);
      CompletableFuture<Permit> permit = new CompletableFuture<>();
      ask(
          new Waiting(index, more) {
            @Override
            void granted() {
              hold(index, more);
              permit.complete(new UnitPermit(World.this, index, bytes));
            }

            @Override
            void inVain() {
              permit.completeExceptionally(
                  new AdmissionRefusedException(AdmissionRefusedException.Reason.DEADLINE, "late"));
            }
          });
      return permit;
    }

    @Override
    public CompletionStage<Boolean> relief() {
      CompletableFuture<Boolean> relief = new CompletableFuture<>();
      ask(
          new Waiting(Waiting.RELIEF_ITSELF, RELIEF) {
            @Override
            void granted() {
              relief.complete(true);
            }

            @Override
            void inVain() {
              relief.complete(false);
            }
          });
      return relief;
    }

    private void ask(Waiting waiting) {
      if (line.isEmpty() && fits(waiting.units)) {
        waiting.granted();
      } else {
        line.add(waiting);
      }
    }

    @Override
    public List<Integer> events() {
      List<Integer> events = new ArrayList<>();
      for (int i = 0; i < channels.length; i++) {
        if (!over[i] && channels[i].config().isAutoRead()) {
          events.add(i);
        }
      }
      if (!line.isEmpty() && fits(line.getFirst().units)) {
        events.add(GRANT);
      }
      for (Waiting waiting : line) {
        if (waiting.channel == Waiting.RELIEF_ITSELF) {
          events.add(PATIENCE_ENDS);
        } else if (deadlines) {
          events.add(DEADLINE + waiting.channel);
        }
      }
      return events;
    }

    @Override
    public void happen(int event) {
      List<Integer> before = stopped();
      if (event < channels.length) {
        handling = event;
        channels[event].writeInbound(next(event));
      } else if (event == GRANT) {
        line.removeFirst().granted();
      } else {
        endWait(event == PATIENCE_ENDS ? Waiting.RELIEF_ITSELF : event - DEADLINE);
      }
      for (int round = 0; round < 2; round++) {
        for (handling = 0; handling < channels.length; handling++) {
          channels[handling].runPendingTasks();
        }
      }
      if (event == PATIENCE_ENDS) {
        readSincePatience = false;
        before.removeAll(stopped());
        letThrough = before.isEmpty() ? letThrough : before.getFirst();
      } else {
        readSincePatience |= event == letThrough;
      }
      if (!gate.isClosed()) {
        letThrough = -1;
        readSincePatience = false;
        isClosedForAll = false;
      }
    }

    private void endWait(int channel) {
      Waiting ended =
          line.stream().filter(waiting -> waiting.channel == channel).findFirst().orElseThrow();
      line.remove(ended);
      ended.inVain();
    }

    /** What a channel reads next: a unit, or a head and then one or two parts of a body. */
    private Object next(int index) {
      int part = received[index]++;
      if (index >= BODIES) {
        return "unit";
      }
      boolean grows = index < growing;
      int bytes = (grows ? STEP : DECLARED) * UNIT_BYTES;
      if (part == 0) {
        HttpRequest head = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/");
        if (grows) {
          HttpUtil.setTransferEncodingChunked(head, true);
        } else {
          HttpUtil.setContentLength(head, bytes);
        }
        return head;
      }
      ByteBuf content = Unpooled.buffer(bytes).writeZero(bytes);
      return grows && part == 1
          ? new DefaultHttpContent(content)
          : new DefaultLastHttpContent(content);
    }

    /** Whom the gate has stopped, the longest stopped first. */
    private List<Integer> stopped() {
      List<Integer> stopped = new ArrayList<>();
      for (int i = 0; i < channels.length; i++) {
        if (gateOf(i).isQueued()) {
          stopped.add(i);
        }
      }
      stopped.sort(Comparator.comparingLong(i -> gateOf(i).ticket()));
      return stopped;
    }

    private ReadGateHandler gateOf(int index) {
      return channels[index].pipeline().get(ReadGateHandler.class);
    }

    @Override
    public boolean isDone() {
      for (boolean each : over) {
        if (!each) {
          return false;
        }
      }
      return true;
    }

    @Override
    public void check() {
      assertThat(mostUnits).as("memory in use at any time").isBetween(0, MEMORY);
      if (isDone()) {
        assertThat(used()).as("memory in use at the end").isZero();
      }
    }

    @Override
    public String state() {
      StringBuilder state = new StringBuilder(gate.isClosed() ? "closed " : "open ");
      state.append(isClosedForAll ? "for all " : "for some ");
      for (EmbeddedChannel channel : channels) {
        state.append(channel.config().isAutoRead() ? "r" : "s");
      }
      return state
          .append(line)
          .append(Arrays.toString(units))
          .append(Arrays.toString(received))
          .append(Arrays.toString(over))
          .append(stopped())
          .append(letThrough)
          .append(readSincePatience)
          .toString();
    }

    @Override
    public boolean isShort() {
      boolean isShort = MEMORY - used() < SHORT_BELOW;
      isClosedForAll |= isShort;
      return isShort;
    }

    @Override
    public boolean isTight() {
      return MEMORY - used() < TIGHT_BELOW;
    }
  }

  private static final class UnitPermit implements Permit {
    private final World world;
    private final int index;
    private long unspentBytes;

    UnitPermit(World world, int index, long bytes) {
      this.world = world;
      this.index = index;
      this.unspentBytes = bytes;
    }

    @Override
    public long unspentBytes() {
      return unspentBytes;
    }

    @Override
    public ByteBuf allocate(int bytes) {
      unspentBytes -= bytes;
      return new CountedByteBuf(
          Unpooled.buffer(bytes, bytes), () -> world.hold(index, -bytes / UNIT_BYTES));
    }

    @Override
    public void close() {
      world.hold(index, -Math.toIntExact(unspentBytes / UNIT_BYTES));
      unspentBytes = 0;
    }
  }
}
