package dev.weir.netty.flow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.CountReads;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.ToLongFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Enumerates every state that a real gate can come to with some channels, one of which gets a
 * permit at some time, and a listener behind which one more channel waits, in whatever order things
 * happen: from each state all of the work can be completed, though no client goes away, and no
 * state needs more memory than there is. So no wait is for ever: for the gate, for relief, for a
 * turn, to be accepted. Connections are read from by themselves, or when their handler asks for it.
 */
class ReadGateWaitsTest {
  /** What one channel gathers before it is done, and gives back. */
  private static final int WORK = 2;

  private static final int PLAIN = 3;

  /** The channel whose memory is set aside; then the one that is to be accepted. */
  private static final int PERMITTED = PLAIN;

  private static final int NEW = PLAIN + 1;
  private static final int CHANNELS = PLAIN + 2;

  private static final int MEMORY = 8;
  private static final int SHORT_BELOW = 4;
  private static final int TIGHT_BELOW = 5;
  private static final int RELIEF = 5;

  @ParameterizedTest
  @CsvSource({"false, true", "true, true", "false, false", "true, false"})
  void allWorkCanBeCompletedFromEveryState(boolean largestFirst, boolean autoRead) {
    StateSpace space = StateSpace.of(() -> new World(largestFirst, autoRead));
    assertThat(space.states())
        .hasSizeGreaterThan(200)
        .anyMatch(state -> state.startsWith("open "))
        .anyMatch(state -> state.startsWith("closed "));
    assertThat(space.deadEnds()).isEmpty();
  }

  /** The gate and its channels, in one thread; events 0 to CHANNELS - 1 are reads of a channel. */
  private static final class World implements StateSpace.World, Headroom {
    static final int RELIEVED = CHANNELS;
    static final int PATIENCE_ENDS = CHANNELS + 1;
    static final int ACCEPT = CHANNELS + 2;
    static final int PERMIT = CHANNELS + 3;

    private final ReadGate gate;
    private final EmbeddedChannel listener;
    private final EmbeddedChannel[] channels = new EmbeddedChannel[CHANNELS];
    private final CountReads[] reads = new CountReads[CHANNELS];
    private final int[] received = new int[CHANNELS];
    private final boolean autoRead;
    private final int[] units = new int[CHANNELS];
    private final boolean[] done = new boolean[CHANNELS];
    private final List<Integer> stopOrder = new ArrayList<>();
    private CompletableFuture<Boolean> relief;
    private boolean accepted;
    private boolean permitted;
    private int letThrough = -1;
    private boolean readSincePatience;
    private int used = WORK;

    World(boolean largestFirst, boolean autoRead) {
      this.autoRead = autoRead;
      ToLongFunction<Channel> held =
          channel -> {
            int index = Arrays.asList(channels).indexOf(channel);
            return index < 0 || index == PERMITTED ? 0 : units[index];
          };
      gate = largestFirst ? new ReadGate(this, held) : new ReadGate(this);
      listener = new EmbeddedChannel(gate.newListenerHandler());
      for (int i = 0; i < CHANNELS; i++) {
        if (i != NEW) {
          open(i);
        }
      }
    }

    private void open(int index) {
      reads[index] = new CountReads();
      channels[index] =
          new EmbeddedChannel(
              reads[index],
              gate.newHandler(),
              new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext ctx, Object message) {
                  gather(index);
                }

                @Override
                public void channelReadComplete(ChannelHandlerContext ctx) {
                  if (!autoRead) {
                    ctx.read();
                  }
                }
              });
      if (!autoRead) {
        channels[index].config().setAutoRead(false);
        reads[index].count = 0;
        channels[index].read();
      }
    }

    private void gather(int index) {
      units[index]++;
      if (index != PERMITTED) {
        used++;
      }
      if (units[index] == WORK) {
        used -= WORK;
        units[index] = 0;
        done[index] = true;
      }
    }

    @Override
    public List<Integer> events() {
      List<Integer> events = new ArrayList<>();
      for (int i = 0; i < CHANNELS; i++) {
        if (channels[i] != null && !done[i] && reads(i)) {
          events.add(i);
        }
      }
      if (!accepted && listener.config().isAutoRead()) {
        events.add(ACCEPT);
      }
      if (!permitted && !done[PERMITTED]) {
        events.add(PERMIT);
      }
      if (relief != null) {
        events.add(PATIENCE_ENDS);
        if (MEMORY - used >= RELIEF) {
          events.add(RELIEVED);
        }
      }
      return events;
    }

    @Override
    public void happen(int event) {
      boolean[] before = reading();
      if (event == ACCEPT) {
        accepted = true;
        listener.writeInbound("connection");
        open(NEW);
      } else if (event == PERMIT) {
        permitted = true;
        ReadHolds.of(channels[PERMITTED]).exempt();
      } else if (event == RELIEVED || event == PATIENCE_ENDS) {
        CompletableFuture<Boolean> ended = relief;
        relief = null;
        ended.complete(event == RELIEVED);
      } else {
        received[event]++;
        channels[event].writeInbound("unit");
      }
      runTasks();
      boolean[] after = reading();
      for (int i = 0; i < CHANNELS; i++) {
        if (before[i] && !after[i]) {
          stopOrder.add(i);
        } else if (!before[i] && after[i]) {
          stopOrder.remove((Integer) i);
        }
        if (event == PATIENCE_ENDS && !before[i] && after[i]) {
          letThrough = i;
        }
      }
      readSincePatience = event == PATIENCE_ENDS ? false : readSincePatience || event == letThrough;
      if (!gate.isClosed()) {
        letThrough = -1;
        readSincePatience = false;
      }
    }

    private void runTasks() {
      for (int round = 0; round < 2; round++) {
        listener.runPendingTasks();
        for (EmbeddedChannel channel : channels) {
          if (channel != null) {
            channel.runPendingTasks();
          }
        }
      }
    }

    private boolean[] reading() {
      boolean[] reading = new boolean[CHANNELS];
      for (int i = 0; i < CHANNELS; i++) {
        reading[i] = channels[i] == null || reads(i);
      }
      return reading;
    }

    /** Whether its transport reads, by itself or because it was asked. */
    private boolean reads(int index) {
      return channels[index].config().isAutoRead()
          || (!autoRead && reads[index].count > received[index]);
    }

    @Override
    public boolean isDone() {
      for (boolean each : done) {
        if (!each) {
          return false;
        }
      }
      return true;
    }

    @Override
    public void check() {
      assertThat(used).as("memory in use").isBetween(0, MEMORY);
    }

    @Override
    public String state() {
      return (gate.isClosed() ? "closed " : "open ")
          + (relief != null)
          + accepted
          + permitted
          + gate.pausedChannels()
          + listener.config().isAutoRead()
          + Arrays.toString(units)
          + Arrays.toString(done)
          + stopOrder
          + letThrough
          + readSincePatience
          + used;
    }

    @Override
    public boolean isShort() {
      return MEMORY - used < SHORT_BELOW;
    }

    @Override
    public boolean isTight() {
      return MEMORY - used < TIGHT_BELOW;
    }

    @Override
    public CompletionStage<Boolean> relief() {
      relief = new CompletableFuture<>();
      return relief;
    }
  }
}
