package dev.weir.lab.grpc;

import dev.weir.lab.grpc.ContainerCalls.Pieces;
import dev.weir.replication.net.Loops;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.netty.channel.ChannelOption;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Serves a container by gRPC on loopback. Checksums are computed before it listens. */
public final class GrpcSender implements AutoCloseable {
  private final ContainerFiles files;
  private final int[] checksums;
  private final GrpcFlow flow;
  private final Loops loops;
  private final Server server;
  private final AtomicReference<@Nullable Throwable> firstFailure = new AtomicReference<>();

  private GrpcSender(
      ContainerFiles files, GrpcFlow flow, GrpcMemory memory, @Nullable Path certificate, Path key)
      throws IOException {
    this.files = files;
    this.checksums = files.checksums();
    this.flow = flow;
    this.loops = new Loops("grpc-sender", Runtime.getRuntime().availableProcessors());
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .bossEventLoopGroup(loops.group())
            .workerEventLoopGroup(loops.group())
            .channelType(loops.listeners())
            .withOption(ChannelOption.ALLOCATOR, memory.allocator())
            .withChildOption(ChannelOption.ALLOCATOR, memory.allocator())
            .addService(
                ServerServiceDefinition.builder(ContainerCalls.SERVICE)
                    .addMethod(
                        ContainerCalls.toSend(), ServerCalls.asyncServerStreamingCall(this::get))
                    .build());
    if (certificate != null) {
      builder.sslContext(GrpcSslContexts.forServer(certificate.toFile(), key.toFile()).build());
    }
    this.server = builder.build().start();
  }

  /**
   * Starts.
   *
   * @param certificate null: in the clear
   * @throws IOException if the container cannot be read, or TLS cannot use the certificate
   */
  public static GrpcSender start(
      Path container,
      Layout layout,
      GrpcFlow flow,
      GrpcMemory memory,
      @Nullable Path certificate,
      Path key)
      throws IOException {
    return new GrpcSender(ContainerFiles.toRead(layout, container), flow, memory, certificate, key);
  }

  private void get(Pieces range, StreamObserver<OutgoingPiece> observer) {
    try {
      flow.send(
          IntStream.range(range.first(), range.end())
              .mapToObj(piece -> new OutgoingPiece(files, piece, checksums[piece]))
              .iterator(),
          (ServerCallStreamObserver<OutgoingPiece>) observer);
    } catch (Throwable failed) {
      firstFailure.compareAndSet(null, failed);
      observer.onError(
          Status.RESOURCE_EXHAUSTED.withDescription(failed.toString()).asRuntimeException());
    }
  }

  /** Where it listens. */
  public int port() {
    return server.getPort();
  }

  /** What first failed here; empty if nothing did. */
  public String firstFailure() {
    Throwable failed = firstFailure.get();
    return failed == null ? "" : failed.toString();
  }

  @Override
  public void close() throws IOException {
    server.shutdownNow();
    loops.close();
    files.close();
  }
}
