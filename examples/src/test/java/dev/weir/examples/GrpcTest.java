package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.flow.PoolHeadroom;
import dev.weir.netty.flow.ReadGate;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class GrpcTest {
  private static final int MESSAGES = 200;
  private static final int MESSAGE_BYTES = 64 << 10;

  /** A request is anything; it is answered by a stream of messages. */
  private static final MethodDescriptor<byte[], byte[]> STREAM =
      MethodDescriptor.<byte[], byte[]>newBuilder()
          .setType(MethodDescriptor.MethodType.SERVER_STREAMING)
          .setFullMethodName("Example/Stream")
          .setRequestMarshaller(new Bytes())
          .setResponseMarshaller(new Bytes())
          .build();

  /** They ask for six times what the pool holds. */
  private static final int CLIENTS = 8;

  /** What became of calls, as the server has seen it. */
  private final List<String> events = new CopyOnWriteArrayList<>();

  /** Calls whose request has come, which may be behind the beginning of others: see a cancel. */
  private final AtomicInteger asked = new AtomicInteger();

  /** The first of them while the pool is tight: the others wait to be accepted. */
  @Test
  void slowClientsHoldAFewMessagesEach() throws Exception {
    EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    try (Memory memory = new Memory()) {
      ReadGate gate = gate(memory);
      ByteBuf others = memory.allocator.directBuffer((int) Memory.LIMIT_BYTES * 7 / 8);
      Server server = start(Grpc.inWeir(builder(loops), memory.allocator, gate));
      List<ManagedChannel> channels = new ArrayList<>();
      List<SlowReader> readers = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        // A connection each: streams of one connection share its window.
        ManagedChannel channel = connect(server);
        channels.add(channel);
        readers.add(ask(channel, new byte[0]));
        memory.await("a closed gate", () -> gate.closings() > 0);
      }
      serveOneBesideThem(loops);
      assertThat(events).as("the first one's, and that beside them").hasSize(2);
      others.release();
      memory.awaitAtLeast(CLIENTS * MESSAGE_BYTES);
      for (SlowReader reader : readers) {
        reader.readOn();
      }
      for (SlowReader reader : readers) {
        assertThat(reader.received.get(60, TimeUnit.SECONDS)).isEqualTo(MESSAGES);
      }
      stop(channels, server);
      memory.assertBoundedAndEmpty();
    } finally {
      loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
  }

  /** By another server on the same loops: in that time they would have served all of them. */
  private void serveOneBesideThem(EventLoopGroup loops) throws Exception {
    Server open = start(builder(loops).channelType(NioServerSocketChannel.class));
    ManagedChannel channel = connect(open);
    SlowReader reader = ask(channel, new byte[0]);
    reader.readOn();
    assertThat(reader.received.get(60, TimeUnit.SECONDS)).isEqualTo(MESSAGES);
    stop(List.of(channel), open);
  }

  @Test
  void aConnectionHasSoManyCallsAtATime() throws Exception {
    EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    try (Memory memory = new Memory()) {
      Server server = start(Grpc.inWeir(builder(loops), memory.allocator, gate(memory)));
      ManagedChannel channel = connect(server);
      List<SlowReader> readers = new ArrayList<>();
      for (int i = 0; i < Grpc.CALLS; i++) {
        readers.add(ask(channel, new byte[0]));
      }
      memory.await("all calls", () -> asked.get() == Grpc.CALLS);
      readers.add(ask(channel, new byte[0]));
      readers.getFirst().call.cancel("enough", null);
      memory.await("one more", () -> events.size() == Grpc.CALLS + 2);
      assertThat(events.subList(Grpc.CALLS, Grpc.CALLS + 2)).containsExactly("cancel", "start");
      stop(List.of(channel), server);
      memory.assertBoundedAndEmpty();
    } finally {
      loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
  }

  @Test
  void aMessageIsOfSoManyBytesAndAnAnswerMayBeOfNone() throws Exception {
    EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    try (Memory memory = new Memory()) {
      Server server = start(Grpc.inWeir(builder(loops), memory.allocator, gate(memory)));
      ManagedChannel channel = connect(server);
      SlowReader most = ask(channel, new byte[Grpc.MESSAGE_BYTES]);
      assertThat(most.received.get(60, TimeUnit.SECONDS)).isZero();
      SlowReader tooMuch = ask(channel, new byte[Grpc.MESSAGE_BYTES + 1]);
      assertThat(tooMuch.received)
          .failsWithin(Duration.ofSeconds(60))
          .withThrowableThat()
          .withMessageContaining("RESOURCE_EXHAUSTED");
      stop(List.of(channel), server);
      memory.assertBoundedAndEmpty();
    } finally {
      loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
  }

  private static ReadGate gate(Memory memory) {
    return new ReadGate(new PoolHeadroom(memory.allocator.pool()));
  }

  /** On a free port of this machine. */
  private static NettyServerBuilder builder(EventLoopGroup loops) {
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return NettyServerBuilder.forAddress(anyPort)
        .bossEventLoopGroup(loops)
        .workerEventLoopGroup(loops);
  }

  /** Serves messages in answer to an empty request, and none to others; on the event loop. */
  private Server start(NettyServerBuilder server) throws IOException {
    ServerCallHandler<byte[], byte[]> handler = ServerCalls.asyncServerStreamingCall(this::answer);
    return server
        .directExecutor()
        .addService(
            ServerServiceDefinition.builder("Example")
                .addMethod(
                    STREAM,
                    (call, headers) -> {
                      events.add("start");
                      return handler.startCall(call, headers);
                    })
                .build())
        .build()
        .start();
  }

  private void answer(byte[] request, StreamObserver<byte[]> responses) {
    ((ServerCallStreamObserver<byte[]>) responses).setOnCancelHandler(() -> events.add("cancel"));
    asked.incrementAndGet();
    int messages = request.length == 0 ? MESSAGES : 0;
    Grpc.send(Stream.generate(() -> new byte[MESSAGE_BYTES]).limit(messages).iterator(), responses);
  }

  private static ManagedChannel connect(Server server) {
    return NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()).usePlaintext().build();
  }

  private static SlowReader ask(ManagedChannel channel, byte[] request) {
    ClientCall<byte[], byte[]> call = channel.newCall(STREAM, CallOptions.DEFAULT);
    SlowReader reader = new SlowReader(call);
    call.start(reader, new Metadata());
    call.sendMessage(request);
    call.halfClose();
    return reader;
  }

  private static void stop(List<ManagedChannel> channels, Server server)
      throws InterruptedException {
    for (ManagedChannel channel : channels) {
      channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    }
    server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
  }

  /** Takes nothing until it is told to, and then one message after the other. */
  private static final class SlowReader extends ClientCall.Listener<byte[]> {
    private final ClientCall<byte[], byte[]> call;
    private final CompletableFuture<Integer> received = new CompletableFuture<>();
    private int messages;

    SlowReader(ClientCall<byte[], byte[]> call) {
      this.call = call;
    }

    void readOn() {
      call.request(1);
    }

    @Override
    public void onMessage(byte[] message) {
      messages += message.length == MESSAGE_BYTES ? 1 : 0;
      call.request(1);
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      if (status.isOk()) {
        received.complete(messages);
      } else {
        received.completeExceptionally(status.asException());
      }
    }
  }
}
