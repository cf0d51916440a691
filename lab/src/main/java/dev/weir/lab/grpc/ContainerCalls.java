package dev.weir.lab.grpc;

import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/** The one call: a range of pieces is asked for, and streamed. It needs no generated code. */
final class ContainerCalls {
  static final String SERVICE = "weir.Containers";

  private ContainerCalls() {}

  /** The call as the sender sees it. */
  static MethodDescriptor<Pieces, OutgoingPiece> toSend() {
    return method(
        new Marshaller<>() {
          @Override
          public InputStream stream(OutgoingPiece piece) {
            return piece;
          }

          @Override
          public OutgoingPiece parse(InputStream stream) {
            throw new UnsupportedOperationException("a sender receives no pieces");
          }
        });
  }

  /** The same as the receiver sees it. */
  static MethodDescriptor<Pieces, IncomingPiece> toReceive() {
    return method(
        new Marshaller<>() {
          @Override
          public InputStream stream(IncomingPiece piece) {
            throw new UnsupportedOperationException("a receiver sends no pieces");
          }

          @Override
          public IncomingPiece parse(InputStream stream) {
            return IncomingPiece.from(stream);
          }
        });
  }

  private static <T> MethodDescriptor<Pieces, T> method(Marshaller<T> pieces) {
    return MethodDescriptor.<Pieces, T>newBuilder()
        .setType(MethodDescriptor.MethodType.SERVER_STREAMING)
        .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "Get"))
        .setRequestMarshaller(new OfPieces())
        .setResponseMarshaller(pieces)
        .build();
  }

  /**
   * What is asked for.
   *
   * @param end the first that is not
   */
  record Pieces(int first, int end) {}

  private static final class OfPieces implements Marshaller<Pieces> {
    @Override
    public InputStream stream(Pieces pieces) {
      byte[] bytes = new byte[2 * Integer.BYTES];
      ByteBuffer.wrap(bytes).putInt(pieces.first()).putInt(pieces.end());
      return new ByteArrayInputStream(bytes);
    }

    @Override
    public Pieces parse(InputStream stream) {
      DataInputStream in = new DataInputStream(stream);
      try {
        return new Pieces(in.readInt(), in.readInt());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
