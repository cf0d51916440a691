package dev.weir.netty.flow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.http.AggregatorOptions;
import dev.weir.netty.http.BudgetedHttpAggregator;
import dev.weir.netty.http.StepwiseDisk;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A real gate and real aggregators that draw on one memory: channels that gather without asking,
 * and three bodies, of declared length or growing by steps. As in a pool, requests stand in one
 * line, a wait for relief among them, and what is granted leaves something to those that do not
 * ask. All in one thread; events below 10 are what a client sends.
 */
final class AdmissionWorld implements StateSpace.World, Headroom {
  /** What a channel that does not ask gathers before it is done, unit by unit. */
  private static final int PLAIN_WORK = 2;

  /** The first channels; the growing ones of them come first. */
  static final int BODIES = 3;

  /** What a growing body takes with each of its two steps. */
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

  private static final Duration ADMISSION_DEADLINE = Duration.ofHours(1);

  /** Of those that have files to go to. */
  private static final Duration PATIENCE = Duration.ofMillis(1);

  static final int PATIENCE_ENDS = 10;
  static final int GRANT = 11;

  /** Of channel 0. */
  static final int DEADLINE = 20;

  /** The disk has done something for channel 0. */
  static final int DISK = 30;

  /** Who waits for memory: a body, or relief. */
  private abstract static class Waiting {
    private static final int RELIEF_ITSELF = -1;

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

  /** How the channels of a world come about. */
  interface LinesMaker {
    Lines make(int count, Lines.Initializer initializer);
  }

  private final AdmissionSetup setup;
  final Answers answers;
  final Lines lines;
  private final ReadGate gate;
  private final AggregatorOptions options;
  private final @Nullable StepwiseDisk disk;
  private final int[] units;
  final int[] received;
  final boolean[] over;
  private final boolean[] refused;
  private final List<Waiting> line = new ArrayList<>();
  private int mostUnits;
  private boolean isAskedForLonger;
  private boolean isClosedForAll;
  private int handling;
  private int letThrough = -1;
  private boolean readSincePatience;

  AdmissionWorld(AdmissionSetup setup) {
    this(setup, Connections::new);
  }

  AdmissionWorld(AdmissionSetup setup, LinesMaker maker) {
    this(setup, maker, Answers.AT_ONCE);
  }

  AdmissionWorld(AdmissionSetup setup, LinesMaker maker, Answers answers) {
    this.setup = setup;
    this.answers = answers;
    units = new int[setup.channels()];
    received = new int[setup.channels()];
    over = new boolean[setup.channels()];
    refused = new boolean[setup.channels()];
    options =
        AggregatorOptions.upTo(2 * STEP * setup.unitBytes())
            .withStepBytes(STEP * setup.unitBytes())
            .withAdmissionDeadline(ADMISSION_DEADLINE)
            .withStallTimeout(Duration.ofDays(1));
    disk = setup.files() == null ? null : disk(setup.files());
    gate = setup.largestFirst() ? new ReadGate(this, this::heldBy) : new ReadGate(this);
    lines = maker.make(setup.channels(), this::initialize);
  }

  private StepwiseDisk disk(Path folder) {
    try {
      long bytes = (long) setup.fileUnits() * setup.unitBytes();
      return new StepwiseDisk(folder, bytes, PATIENCE, () -> handling);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private long heldBy(Channel channel) {
    for (int i = 0; i < units.length; i++) {
      if (channel.equals(lines.channel(i))) {
        return units[i];
      }
    }
    return 0;
  }

  private void initialize(Channel channel, int index, ChannelHandler... codec) {
    ChannelPipeline pipeline = channel.pipeline().addLast(gate.newHandler());
    if (index >= BODIES) {
      pipeline.addLast(gathering(index));
      return;
    }
    pipeline
        .addLast(codec)
        .addLast(
            answered(index),
            disk == null
                ? new BudgetedHttpAggregator(admission(index), options)
                : new BudgetedHttpAggregator(admission(index), options, disk.spill()),
            answers.handler(channel, index));
  }

  private ChannelHandler gathering(int index) {
    return new ChannelInboundHandlerAdapter() {
      @Override
      public void channelRead(ChannelHandlerContext ctx, Object message) {
        ReferenceCountUtil.release(message);
        if (message instanceof Http2HeadersFrame) {
          return;
        }
        hold(index, 1);
        if (units[index] == PLAIN_WORK) {
          hold(index, -PLAIN_WORK);
          over[index] = true;
        }
      }
    };
  }

  private ChannelHandler answered(int index) {
    return new ChannelOutboundHandlerAdapter() {
      @Override
      public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        over[index] = true;
        refused[index] =
            message instanceof HttpResponse answer
                && answer.status().equals(HttpResponseStatus.SERVICE_UNAVAILABLE);
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

  private Admission admission(int index) {
    return (bytes, deadline) -> {
      isAskedForLonger |= !deadline.equals(disk == null ? ADMISSION_DEADLINE : PATIENCE);
      return admit(index, bytes);
    };
  }

  private CompletionStage<Permit> admit(int index, long bytes) {
    int more = unitsOf(bytes);
    CompletableFuture<Permit> permit = new CompletableFuture<>();
    ask(
        new Waiting(index, more) {
          @Override
          void granted() {
            hold(index, more);
            permit.complete(new UnitPermit(index, bytes));
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

  private int unitsOf(long bytes) {
    return Math.toIntExact(bytes / setup.unitBytes());
  }

  @Override
  public List<Integer> events() {
    List<Integer> events = new ArrayList<>();
    for (int i = 0; i < over.length; i++) {
      Lines.Part next = over[i] ? null : next(i);
      if (next != null && lines.canSend(i, next)) {
        events.add(i);
      }
    }
    if (!line.isEmpty() && fits(line.getFirst().units)) {
      events.add(GRANT);
    }
    for (Waiting waiting : line) {
      if (waiting.channel == Waiting.RELIEF_ITSELF) {
        events.add(PATIENCE_ENDS);
      } else if (setup.deadlines()) {
        events.add(DEADLINE + waiting.channel);
      }
    }
    if (setup.diskWorks()) {
      diskOwners().stream().distinct().forEach(owner -> events.add(DISK + owner));
    }
    events.addAll(answers.events());
    return events;
  }

  private List<Integer> diskOwners() {
    return disk == null ? List.of() : disk.owners();
  }

  @Override
  public void happen(int event) {
    List<Integer> before = stopped();
    if (event < over.length) {
      handling = event;
      Lines.Part part = next(event);
      received[event]++;
      lines.send(event, part);
    } else if (event == GRANT) {
      Waiting first = line.removeFirst();
      handling = first.channel;
      first.granted();
    } else if (event >= Answers.FIRST_EVENT) {
      answers.happen(event);
    } else if (event >= DISK) {
      handling = event - DISK;
      disk.step(handling);
    } else {
      handling = event == PATIENCE_ENDS ? Waiting.RELIEF_ITSELF : event - DEADLINE;
      endWait(handling);
    }
    for (int round = 0; round < 2; round++) {
      for (handling = 0; handling < over.length; handling++) {
        lines.runTasks(handling);
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

  /** What a client sends next: a unit, or a head and then parts of a body; null: nothing more. */
  private Lines.@Nullable Part next(int index) {
    int part = received[index];
    if (index >= BODIES) {
      return part < PLAIN_WORK ? Lines.Part.body(2 * setup.unitBytes(), /* isLast= */ false) : null;
    }
    boolean grows = index < setup.growing();
    int parts = grows ? 2 : setup.declaredParts();
    int bytes = (grows ? 2 * STEP : setup.declaredUnits()) * setup.unitBytes();
    if (part == 0) {
      return Lines.Part.head(grows ? -1 : bytes);
    }
    return part <= parts ? Lines.Part.body(bytes / parts, part == parts) : null;
  }

  /** Whom the gate has stopped, the longest stopped first. */
  private List<Integer> stopped() {
    List<Integer> stopped = new ArrayList<>();
    for (int i = 0; i < over.length; i++) {
      ReadGateHandler handler = gateOf(i);
      if (handler != null && handler.isQueued()) {
        stopped.add(i);
      }
    }
    stopped.sort(Comparator.comparingLong(i -> gateOf(i).ticket()));
    return stopped;
  }

  private @Nullable ReadGateHandler gateOf(int index) {
    Channel channel = lines.channel(index);
    return channel == null ? null : channel.pipeline().get(ReadGateHandler.class);
  }

  /** Whether a body has memory that it is not done with. */
  boolean hasAdmitted() {
    return Arrays.stream(units, 0, BODIES).anyMatch(held -> held > 0);
  }

  boolean waitsForDisk() {
    return !diskOwners().isEmpty();
  }

  private int refusals() {
    int refusals = 0;
    for (boolean each : refused) {
      refusals += each ? 1 : 0;
    }
    return refusals;
  }

  @Override
  public boolean isDone() {
    for (boolean each : over) {
      if (!each) {
        return false;
      }
    }
    return diskOwners().isEmpty() && answers.areDone();
  }

  @Override
  public void check() {
    answers.check();
    assertThat(mostUnits).as("memory in use at any time").isBetween(0, MEMORY);
    assertThat(isAskedForLonger).as("memory is waited for beyond the deadline").isFalse();
    if (disk != null) {
      assertThat(disk.spill().usedBytes())
          .as("files in use")
          .isBetween(0L, (long) setup.fileUnits() * setup.unitBytes());
    }
    if (isDone()) {
      for (int i = 0; i < units.length; i++) {
        assertThat(units[i] > 0).as("memory in use at the end").isEqualTo(answers.isKept(i));
      }
      assertThat(disk == null || disk.isEmpty()).as("no file in use at the end").isTrue();
    }
  }

  @Override
  public String state() {
    StringBuilder state = new StringBuilder(gate.isClosed() ? "closed " : "open ");
    state.append(isClosedForAll ? "for all " : "for some ");
    state.append(lines.state());
    if (disk != null) {
      state.append("on disk ").append(unitsOf(disk.spill().usedBytes())).append(diskOwners());
    }
    return state
        .append(line)
        .append(Arrays.toString(units))
        .append(Arrays.toString(received))
        .append(Arrays.toString(over))
        .append(refusals() > 0 ? " refused " : "")
        .append(stopped())
        .append(letThrough)
        .append(readSincePatience)
        .append(answers.state())
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

  private final class UnitPermit implements Permit {
    private final int index;
    private long unspentBytes;

    UnitPermit(int index, long bytes) {
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
      return new CountedByteBuf(Unpooled.buffer(bytes, bytes), () -> hold(index, -unitsOf(bytes)));
    }

    @Override
    public void close() {
      hold(index, -unitsOf(unspentBytes));
      unspentBytes = 0;
    }
  }
}
