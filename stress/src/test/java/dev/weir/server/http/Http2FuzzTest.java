package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.profile.LeakWatch;
import dev.weir.netty.WeirAllocator;
import dev.weir.netty.flow.Admission;
import dev.weir.netty.flow.AdmissionRefusedException;
import dev.weir.netty.flow.WeirAdmission;
import dev.weir.server.console.Console;
import dev.weir.server.console.ConsoleAccess;
import dev.weir.server.metrics.Conditions;
import dev.weir.server.metrics.MemoryFigures;
import dev.weir.server.metrics.NodeMetrics;
import dev.weir.streams.AppendRequest;
import dev.weir.streams.CreateRequest;
import dev.weir.streams.LocalDisk;
import dev.weir.streams.Payload;
import dev.weir.streams.StreamStore;
import dev.weir.stress.Mutations;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.DefaultChannelId;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.local.LocalServerChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The first byte says how what a client sends is cut into packets, the second how it ends and
 * whether there is memory; the rest tells of frames, or is sent as it is, to a connection as the
 * node sets it up. Whatever it is, it comes to an end, nothing is thrown, nothing is held then, and
 * no defect is logged.
 *
 * <p>The store takes no changes, so that all happens on one thread: they are answered 503.
 */
class Http2FuzzTest {
  private static final int AS_IT_IS = 1;
  private static final int ENDS_ITS_SIDE = 2;
  private static final int NO_MEMORY = 4;
  private static final int NODE_STOPS = 8;
  private static final int WAITS = 16;

  private static final int PLACES = 8;
  private static final byte[] PREFACE = preface();
  private static final Channel LISTENER = new LocalServerChannel();
  private static final Pool POOL = Pool.create(PoolOptions.withLimit(8L << 20));
  private static final WeirAllocator ALLOCATOR = new WeirAllocator(POOL);
  private static final ByteBufAllocator POOR =
      ALLOCATOR.charging(POOL.rootBudget().child("poor", 16L << 10));
  private static final Admission FULL =
      (bytes, deadline) ->
          CompletableFuture.failedFuture(
              new AdmissionRefusedException(AdmissionRefusedException.Reason.DEADLINE, "full"));

  @TempDir static Path directory;
  private static final Defects DEFECTS = new Defects();
  private static Pool ofConsole;
  private static Console console;
  private static Services services;

  /** What is logged of the node's own failures, and of Netty's. */
  private static final class Defects extends Handler {
    private final StringBuilder seen = new StringBuilder();

    @Override
    public void publish(LogRecord record) {
      // The conditions of a node that has full places, no memory, or a flood to cut off.
      boolean expected =
          record.getThrown() == null
              && (record.getMessage().contains("ended for want of memory")
                  || record.getLoggerName().equals(Conditions.class.getName()));
      if (record.getLevel().intValue() >= Level.WARNING.intValue() && !expected) {
        seen.append(record.getLoggerName()).append(": ").append(record.getMessage());
        seen.append(' ').append(record.getThrown()).append('\n');
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  private static byte[] preface() {
    ByteBuf preface = Http2CodecUtil.connectionPrefaceBuf();
    byte[] bytes = new byte[preface.readableBytes()];
    preface.readBytes(bytes);
    return bytes;
  }

  @BeforeAll
  static void open() throws IOException {
    Logger root = Logger.getLogger("");
    Arrays.stream(root.getHandlers()).forEach(root::removeHandler);
    root.addHandler(DEFECTS);
    StreamStore store = StreamStore.open(directory, new LocalDisk(), () -> 0);
    store.create(CreateRequest.of("a", "text/plain"), new Payload.None()).join();
    for (int i = 0; i < 4; i++) {
      store
          .append(
              new AppendRequest("a", "text/plain", false, null, null),
              new Payload.Inline(ByteBuffer.allocate(50_000), () -> {}))
          .join();
    }
    store.close();
    ofConsole = Pool.create(PoolOptions.withLimit(4L << 20));
    console =
        Console.start(
            ofConsole,
            Map.of(),
            ConsoleAccess.OFF,
            /* intervalMillis= */ 3_600_000,
            new LeakWatch(LeakWatch.DEFAULT_THRESHOLD));
    services =
        new Services(
            store,
            Runnable::run,
            new ForkSearches(Runnable::run),
            HttpLimits.forBudget(32L << 20),
            new AccessGuard(AccessPolicy.DEFAULT, /* onLoopback= */ false),
            new ContentCodings(null),
            new Permits(PLACES),
            new Permits(PLACES),
            new StagingQuota(1 << 20),
            new NodeMetrics(
                store.stats(),
                store::streamCount,
                new MemoryFigures(() -> 0, () -> 0, () -> 0, () -> 0, () -> 0)),
            console,
            /* tls= */ null);
  }

  @AfterAll
  static void close() {
    console.close();
    ofConsole.close();
    POOL.checkInvariants();
  }

  @FuzzTest
  void fuzz(byte[] input) throws Exception {
    if (input.length < 2) {
      return;
    }
    int how = input[1];
    byte[] told = Arrays.copyOfRange(input, 2, input.length);
    DEFECTS.seen.setLength(0);
    serve((how & AS_IT_IS) == 0 ? framed(told) : told, 1 + (input[0] & 0xff), how);
    assertThat(DEFECTS.seen).isEmpty();
    assertThat(POOL.liveBlockBytes()).isZero();
    assertThat(services.staging().usedBytes()).isZero();
    for (int place = 0; place < PLACES; place++) {
      assertThat(services.permits().tryTake()).as("place %d", place).isTrue();
    }
    for (int place = 0; place < PLACES; place++) {
      services.permits().giveBack();
    }
  }

  /**
   * Frames whose lengths are right: each is told of by its kind, its flags, its stream, its length.
   */
  private static byte[] framed(byte[] told) {
    ByteArrayOutputStream frames = new ByteArrayOutputStream();
    for (int at = 0; at + 4 <= told.length; ) {
      int type = told[at] & 0x1f;
      int times = 1 << ((told[at] & 0xff) >> 5);
      int flags = told[at + 1];
      int stream = told[at + 2] & 0x1f;
      int length = Math.min(told[at + 3] & 0xff, told.length - at - 4);
      for (int i = 0; i < times; i++) {
        frames.writeBytes(new byte[] {0, 0, (byte) length, (byte) type, (byte) flags, 0, 0, 0});
        frames.write(stream);
        frames.write(told, at + 4, length);
      }
      at += 4 + length;
    }
    return frames.toByteArray();
  }

  private static void serve(byte[] sent, int packetBytes, int how) throws Exception {
    boolean poor = (how & NO_MEMORY) != 0;
    ConnectionMemory memory =
        poor
            ? ConnectionMemory.shared(POOR, FULL)
            : ConnectionMemory.shared(ALLOCATOR, new WeirAdmission(ALLOCATOR));
    EmbeddedChannel channel =
        new EmbeddedChannel(
            LISTENER,
            DefaultChannelId.newInstance(),
            /* register= */ false,
            /* hasDisconnect= */ false,
            new ConnectionInitializer(
                services,
                new DefaultChannelGroup(ImmediateEventExecutor.INSTANCE),
                each -> memory,
                new AddressPermits(/* limit= */ 0)));
    channel.config().setAllocator(poor ? POOR : ALLOCATOR);
    channel.config().setAutoRead(false);
    channel.register();
    channel.freezeTime();
    send(channel, PREFACE);
    for (byte[] packet : Mutations.pieces(sent, 0, packetBytes)) {
      send(channel, packet);
    }
    if ((how & NODE_STOPS) != 0) {
      channel.pipeline().fireUserEventTriggered(HttpCarrier.Signal.DRAIN);
    }
    if ((how & ENDS_ITS_SIDE) != 0 && channel.isOpen()) {
      channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
    }
    for (int i = 0; i < 4 && (how & WAITS) != 0; i++) {
      channel.advanceTimeBy(20, TimeUnit.SECONDS);
      channel.runPendingTasks();
      channel.releaseOutbound();
    }
    channel.runPendingTasks();
    channel.finishAndReleaseAll();
    channel.runPendingTasks();
    channel.checkException();
  }

  private static void send(EmbeddedChannel channel, byte[] packet) {
    if (channel.isOpen()) {
      channel.writeInbound(ALLOCATOR.directBuffer(packet.length).writeBytes(packet));
      channel.runPendingTasks();
      channel.releaseOutbound();
    }
  }

  @Test
  @Timeout(120)
  void changedSeeds() throws Exception {
    Mutations.run(getClass(), this::fuzz);
  }
}
