package dev.weir.examples;

import dev.weir.netty.WeirAllocator;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.netty.channel.ChannelOption;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * gRPC: the server's buffers are Weir's, and messages are made when their client takes more, so
 * that a slow one holds a few of them and not the whole stream.
 */
public final class Grpc {
  static final int MESSAGE_BYTES = 64 << 10;

  /** A request is anything; it is answered by a stream of messages. */
  static final MethodDescriptor<byte[], byte[]> STREAM =
      MethodDescriptor.<byte[], byte[]>newBuilder()
          .setType(MethodDescriptor.MethodType.SERVER_STREAMING)
          .setFullMethodName("Example/Stream")
          .setRequestMarshaller(new Bytes())
          .setResponseMarshaller(new Bytes())
          .build();

  private Grpc() {}

  /** Serves so many messages in answer to each request, on a free port of this machine. */
  public static Server start(WeirAllocator allocator, int messages) throws IOException {
    return NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
        .withOption(ChannelOption.ALLOCATOR, allocator)
        .withChildOption(ChannelOption.ALLOCATOR, allocator)
        .addService(
            ServerServiceDefinition.builder("Example")
                .addMethod(
                    STREAM,
                    ServerCalls.asyncServerStreamingCall(
                        (request, responses) -> new Messages(responses, messages).send()))
                .build())
        .build()
        .start();
  }

  /** Sends while the client takes more: gRPC says when it does again. */
  private static final class Messages {
    private final ServerCallStreamObserver<byte[]> client;
    private int left;

    Messages(StreamObserver<byte[]> responses, int messages) {
      client = (ServerCallStreamObserver<byte[]>) responses;
      left = messages;
      client.setOnReadyHandler(this::send);
    }

    void send() {
      while (left > 0 && client.isReady()) {
        client.onNext(new byte[MESSAGE_BYTES]);
        left--;
        if (left == 0) {
          client.onCompleted();
        }
      }
    }
  }
}
