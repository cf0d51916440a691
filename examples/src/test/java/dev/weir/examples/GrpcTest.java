package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.WeirAllocator;
import dev.weir.netty.flow.PoolHeadroom;
import dev.weir.netty.flow.ReadGate;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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

  /** The first of them while the pool is tight: the others wait to be accepted. */
  @Test
  void slowClientsHoldAFewMessagesEach() throws Exception {
    EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    try (Memory memory = new Memory()) {
      ReadGate gate = new ReadGate(new PoolHeadroom(memory.allocator.pool()));
      ByteBuf others = memory.allocator.directBuffer((int) Memory.LIMIT_BYTES * 7 / 8);
      Server server = start(loops, memory.allocator, gate);
      List<ManagedChannel> channels = new ArrayList<>();
      List<SlowReader> readers = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        // A connection each: streams of one connection share its window.
        ManagedChannel channel =
            NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()).usePlaintext().build();
        channels.add(channel);
        ClientCall<byte[], byte[]> call = channel.newCall(STREAM, CallOptions.DEFAULT);
        SlowReader reader = new SlowReader(call);
        readers.add(reader);
        call.start(reader, new Metadata());
        call.sendMessage(new byte[0]);
        call.halfClose();
      }
      memory.await("a closed gate", () -> gate.closings() > 0);
      others.release();
      memory.awaitAtLeast(CLIENTS * MESSAGE_BYTES);
      for (SlowReader reader : readers) {
        reader.readOn();
      }
      for (SlowReader reader : readers) {
        assertThat(reader.received.get(60, TimeUnit.SECONDS)).isEqualTo(MESSAGES);
      }
      for (ManagedChannel channel : channels) {
        channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
      }
      server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
      memory.assertBoundedAndEmpty();
    } finally {
      loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
  }

  /** Serves messages in answer to each request, on a free port of this machine. */
  private static Server start(EventLoopGroup loops, WeirAllocator allocator, ReadGate gate)
      throws IOException {
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    NettyServerBuilder server =
        NettyServerBuilder.forAddress(anyPort)
            .bossEventLoopGroup(loops)
            .workerEventLoopGroup(loops);
    return Grpc.inWeir(server, allocator, gate)
        .addService(
            ServerServiceDefinition.builder("Example")
                .addMethod(
                    STREAM,
                    ServerCalls.asyncServerStreamingCall(
                        (request, responses) -> Grpc.send(messages(), responses)))
                .build())
        .build()
        .start();
  }

  private static Iterator<byte[]> messages() {
    return Stream.generate(() -> new byte[MESSAGE_BYTES]).limit(MESSAGES).iterator();
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
