package dev.weir.lab.grpc;

import dev.weir.lab.grpc.ContainerCalls.Pieces;
import dev.weir.replication.net.Loops;
import dev.weir.replication.net.RateLimit;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.netty.channel.ChannelOption;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Gets a container by gRPC, a share of its pieces over each connection, writes and checks them on
 * the event loops, and brings the files to the disk. Several copies may run at once.
 */
public final class GrpcReceiver {
  private static final int MESSAGE_BYTES = Layout.PIECE_BYTES + OutgoingPiece.HEAD_BYTES;
  private static final int SILENCE_SECONDS = 15;

  private final InetSocketAddress source;
  private final Layout layout;
  private final int connections;
  private final GrpcMemory memory;
  private final RateLimit rate;
  private final @Nullable SslContext tls;
  private final Loops loops;
  private final LongAdder receivedBytes = new LongAdder();

  /**
   * A receiver.
   *
   * @param connections of each copy
   * @param rate of all copies together
   * @param authority a certificate; null: in the clear
   * @throws IOException if TLS cannot use the certificate
   */
  public GrpcReceiver(
      InetSocketAddress source,
      Layout layout,
      int connections,
      GrpcMemory memory,
      RateLimit rate,
      @Nullable Path authority)
      throws IOException {
    this.source = source;
    this.layout = layout;
    this.connections = connections;
    this.memory = memory;
    this.rate = rate;
    this.tls =
        authority == null
            ? null
            : GrpcSslContexts.forClient().trustManager(authority.toFile()).build();
    this.loops =
        new Loops(
            "grpc-receiver", Math.min(connections, Runtime.getRuntime().availableProcessors()));
  }

  /** Of all copies so far. */
  public long receivedBytes() {
    return receivedBytes.sum();
  }

  /**
   * Copies once into a folder. Blocks its thread.
   *
   * @throws IOException if a part fails, or nothing comes for 15 s
   */
  public void copy(Path target) throws IOException {
    List<ManagedChannel> channels = new ArrayList<>();
    try (ContainerFiles files = ContainerFiles.toWrite(layout, target)) {
      try {
        List<CompletableFuture<Void>> parts = new ArrayList<>();
        int share = Math.ceilDiv(layout.pieces(), connections);
        for (int first = 0; first < layout.pieces(); first += share) {
          ManagedChannel channel = channel();
          channels.add(channel);
          Part part = new Part(files, rate, loops.group(), receivedBytes);
          parts.add(part.end());
          ClientCalls.asyncServerStreamingCall(
              channel.newCall(ContainerCalls.toReceive(), CallOptions.DEFAULT),
              new Pieces(first, Math.min(first + share, layout.pieces())),
              part);
        }
        await(CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new)));
        files.force();
      } finally {
        channels.forEach(ManagedChannel::shutdownNow);
        channels.forEach(GrpcReceiver::awaitEnd);
      }
    }
  }

  private ManagedChannel channel() {
    NettyChannelBuilder builder =
        NettyChannelBuilder.forAddress(source)
            .eventLoopGroup(loops.group())
            .channelType(loops.clients())
            .withOption(ChannelOption.ALLOCATOR, memory.allocator())
            .maxInboundMessageSize(MESSAGE_BYTES)
            .overrideAuthority("localhost")
            .directExecutor();
    return (tls == null ? builder.usePlaintext() : builder.sslContext(tls)).build();
  }

  private void await(CompletableFuture<Void> all) throws IOException {
    long before = -1;
    while (true) {
      try {
        all.get(SILENCE_SECONDS, TimeUnit.SECONDS);
        return;
      } catch (TimeoutException slow) {
        long now = receivedBytes.sum();
        if (now == before) {
          throw new IOException("nothing has come for " + SILENCE_SECONDS + " s", slow);
        }
        before = now;
      } catch (ExecutionException failed) {
        throw new IOException(String.valueOf(failed.getCause()), failed);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted while a container is received");
      }
    }
  }

  private static void awaitEnd(ManagedChannel channel) {
    try {
      channel.awaitTermination(5, TimeUnit.SECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
