package dev.weir.examples;

import dev.weir.netty.WeirAllocator;
import dev.weir.netty.flow.ReadGate;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.netty.channel.ChannelOption;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.util.Iterator;

/**
 * gRPC: the server's buffers are Weir's, no connection is accepted while the pool is tight, each
 * brings in so much at most, and messages are made when their client takes more, so that a slow one
 * holds a few of them and not the whole stream.
 */
public final class Grpc {
  /** What a connection may have going on at a time. */
  static final int CALLS = 16;

  /** Of a message that comes in, at most. */
  static final int MESSAGE_BYTES = 256 << 10;

  /** Of messages that are not asked for yet, a connection's. */
  private static final int WINDOW_BYTES = 1 << 20;

  private Grpc() {}

  /** With event loops of yours, for NIO: gRPC wants to be told of them with the channel. */
  public static NettyServerBuilder inWeir(
      NettyServerBuilder server, WeirAllocator allocator, ReadGate gate) {
    return server
        .maxConcurrentCallsPerConnection(CALLS)
        .maxInboundMessageSize(MESSAGE_BYTES)
        .flowControlWindow(WINDOW_BYTES)
        .withOption(ChannelOption.ALLOCATOR, allocator)
        .withChildOption(ChannelOption.ALLOCATOR, allocator)
        .channelFactory(() -> {
          ServerChannel listener = new NioServerSocketChannel();
          listener.pipeline().addLast(gate.newListenerHandler());
          return listener;
        });
  }

  /** Sends while the client takes more: gRPC says when, the first time as well. */
  public static <T> void send(Iterator<T> messages, StreamObserver<T> responses) {
    if (!messages.hasNext()) {
      responses.onCompleted();
      return;
    }
    ServerCallStreamObserver<T> client = (ServerCallStreamObserver<T>) responses;
    client.setOnReadyHandler(() -> {
      while (client.isReady() && messages.hasNext()) {
        client.onNext(messages.next());
        if (!messages.hasNext()) {
          client.onCompleted();
        }
      }
    });
  }
}
