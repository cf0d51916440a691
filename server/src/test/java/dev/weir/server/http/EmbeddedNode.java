package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.netty.WeirAllocator;
import dev.weir.netty.flow.WeirAdmission;
import dev.weir.server.console.Console;
import dev.weir.streams.AppendRequest;
import dev.weir.streams.CreateRequest;
import dev.weir.streams.LocalDisk;
import dev.weir.streams.Payload;
import dev.weir.streams.StreamStore;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.DefaultChannelId;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.local.LocalServerChannel;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A node whose connections have no sockets, and whose event loops and I/O threads are the test, as
 * is its clock.
 */
final class EmbeddedNode implements AutoCloseable {
  /** What HTTP/2 knows the node's side by: the connections' parent. */
  static final Channel LISTENER = new LocalServerChannel();

  final WeirAllocator allocator = WeirAllocator.withLimit(8 << 20);

  /** What I/O threads are to do. */
  final Queue<Runnable> io = new ArrayDeque<>();

  /** Which tasks I/O threads do not take, and why. */
  Predicate<Runnable> refused = task -> false;

  RuntimeException refusal = UnreachableLoopTest.REFUSAL;

  /** The store's time; that of connections is their own. */
  final AtomicLong nowMillis = new AtomicLong();

  final StreamStore store;
  final Services services;
  private final Pool ofConsole = Pool.create(PoolOptions.withLimit(4 << 20));
  private final Console console = UnreachableLoopTest.console(ofConsole);
  private boolean storeClosed;

  EmbeddedNode(Path directory) throws IOException {
    store = StreamStore.open(directory, new LocalDisk(), nowMillis::get);
    services = UnreachableLoopTest.services(store, console, this::execute);
  }

  private void execute(Runnable task) {
    if (refused.test(task)) {
      throw refusal;
    }
    io.add(task);
  }

  /** A connection as the node sets it up. */
  EmbeddedChannel connect() throws Exception {
    return connect(handler ->
        new EmbeddedChannel(
            LISTENER,
            DefaultChannelId.newInstance(),
            /* register= */ false,
            /* hasDisconnect= */ false,
            handler));
  }

  /** One of a kind of its own, which must not be registered yet. */
  <C extends EmbeddedChannel> C connect(Function<ChannelHandler, C> maker) throws Exception {
    C channel =
        maker.apply(
            new ConnectionInitializer(
                services,
                new DefaultChannelGroup(ImmediateEventExecutor.INSTANCE),
                each -> ConnectionMemory.shared(allocator, new WeirAdmission(allocator)),
                new AddressPermits(/* limit= */ 0)));
    channel.config().setAllocator(allocator);
    channel.config().setAutoRead(false);
    channel
        .config()
        .setWriteBufferWaterMark(
            new WriteBufferWaterMark(HttpLimits.CHUNK_BYTES, HttpLimits.WRITE_AHEAD_BYTES));
    channel.register();
    channel.freezeTime();
    return channel;
  }

  void send(EmbeddedChannel channel, byte[] bytes) {
    channel.writeInbound(allocator.directBuffer(Math.max(1, bytes.length)).writeBytes(bytes));
  }

  /** Makes a stream with its first bytes, as they are stored. */
  void create(String path, String contentType, String text) {
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    store.create(CreateRequest.of(path, contentType), new Payload.Inline(bytes, () -> {})).join();
  }

  /** Adds bytes as they are stored. */
  void append(String path, String contentType, String text) {
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    AppendRequest request = new AppendRequest(path, contentType, false, null, null);
    store.append(request, new Payload.Inline(bytes, () -> {})).join();
  }

  /** Does all that can be done now. */
  void run(EmbeddedChannel channel) {
    channel.runPendingTasks();
    for (Runnable task = io.poll(); task != null; task = io.poll()) {
      task.run();
      channel.runPendingTasks();
    }
  }

  /** Lets time pass, and what is due happen. */
  void pass(EmbeddedChannel channel, Duration time) {
    channel.advanceTimeBy(time.toMillis(), TimeUnit.MILLISECONDS);
    run(channel);
  }

  /** What the client has got since this was asked last. */
  static byte[] received(EmbeddedChannel channel) {
    ByteArrayOutputStream received = new ByteArrayOutputStream();
    for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
      byte[] bytes = new byte[part.readableBytes()];
      part.readBytes(bytes).release();
      received.writeBytes(bytes);
    }
    return received.toByteArray();
  }

  /** What the client gets once the store has answered; I/O threads do nothing meanwhile. */
  static String answer(EmbeddedChannel channel) {
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    String answer = "";
    while (answer.isEmpty() && System.nanoTime() < deadline) {
      channel.runPendingTasks();
      answer = new String(received(channel), StandardCharsets.US_ASCII);
    }
    return answer;
  }

  void closeStore() throws IOException {
    if (!storeClosed) {
      storeClosed = true;
      store.close();
    }
  }

  /** Ends the node, whose connections must have ended; nothing may be left of them. */
  @Override
  public void close() throws IOException {
    closeStore();
    console.close();
    ofConsole.close();
    assertThat(services.staging().usedBytes()).isZero();
    assertThat(allocator.pool().liveBlockBytes()).isZero();
    allocator.pool().checkInvariants();
    allocator.close();
  }
}
