package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class GrpcTest {
  private static final int MESSAGES = 200;

  /** They ask for six times what the pool holds. */
  private static final int CLIENTS = 8;

  @Test
  void slowClientsHoldAFewMessagesEach() throws Exception {
    try (Memory memory = new Memory()) {
      Server server = Grpc.start(memory.allocator, MESSAGES);
      List<ManagedChannel> channels = new ArrayList<>();
      List<SlowReader> readers = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        // A connection each: streams of one connection share its window.
        ManagedChannel channel =
            NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()).usePlaintext().build();
        channels.add(channel);
        ClientCall<byte[], byte[]> call = channel.newCall(Grpc.STREAM, CallOptions.DEFAULT);
        SlowReader reader = new SlowReader(call);
        readers.add(reader);
        call.start(reader, new Metadata());
        call.sendMessage(new byte[0]);
        call.halfClose();
      }
      memory.awaitAtLeast(CLIENTS * Grpc.MESSAGE_BYTES);
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
    }
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
      messages += message.length == Grpc.MESSAGE_BYTES ? 1 : 0;
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
