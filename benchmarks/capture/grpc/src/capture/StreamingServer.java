package capture;

import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.grpc.testing.protobuf.SimpleRequest;
import io.grpc.testing.protobuf.SimpleResponse;
import io.grpc.testing.protobuf.SimpleServiceGrpc;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Iterator;

/**
 * The service that gRPC's tests have, with streams of answers, of requests, and of both. A request
 * says how long its answers are. A slow client is waited for, as the flow control of gRPC tells.
 */
public final class StreamingServer extends SimpleServiceGrpc.SimpleServiceImplBase {
  private static final String TEXT = "x".repeat(4 << 20);

  private StreamingServer() {}

  /** Argument: the port. */
  public static void main(String[] args) throws Exception {
    NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0])))
        .maxInboundMessageSize(8 << 20)
        .addService(new StreamingServer())
        .build()
        .start()
        .awaitTermination();
  }

  @Override
  public void serverStreamingRpc(SimpleRequest request, StreamObserver<SimpleResponse> out) {
    ServerCallStreamObserver<SimpleResponse> answers =
        (ServerCallStreamObserver<SimpleResponse>) out;
    Iterator<String> left = Arrays.asList(request.getRequestMessage().split(" ")).iterator();
    answers.setOnReadyHandler(() -> send(answers, left));
  }

  private static void send(
      ServerCallStreamObserver<SimpleResponse> answers, Iterator<String> left) {
    while (answers.isReady() && left.hasNext()) {
      answers.onNext(answer(Integer.parseInt(left.next())));
      if (!left.hasNext()) {
        answers.onCompleted();
      }
    }
  }

  @Override
  public StreamObserver<SimpleRequest> clientStreamingRpc(StreamObserver<SimpleResponse> out) {
    return new StreamObserver<>() {
      @Override
      public void onNext(SimpleRequest piece) {}

      @Override
      public void onError(Throwable vanished) {}

      @Override
      public void onCompleted() {
        out.onNext(answer(10));
        out.onCompleted();
      }
    };
  }

  @Override
  public StreamObserver<SimpleRequest> bidiStreamingRpc(StreamObserver<SimpleResponse> out) {
    return new StreamObserver<>() {
      @Override
      public void onNext(SimpleRequest question) {
        out.onNext(answer(Integer.parseInt(question.getRequestMessage().trim())));
      }

      @Override
      public void onError(Throwable vanished) {}

      @Override
      public void onCompleted() {
        out.onCompleted();
      }
    };
  }

  private static SimpleResponse answer(int bytes) {
    return SimpleResponse.newBuilder().setResponseMessage(TEXT.substring(0, bytes)).build();
  }
}
