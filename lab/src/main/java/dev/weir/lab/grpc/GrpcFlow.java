package dev.weir.lab.grpc;

import io.grpc.stub.ServerCallStreamObserver;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** How a sender of gRPC treats a receiver that takes less than it has. */
public enum GrpcFlow {
  /** Hands over every message at once, as Apache Ozone's first replication did. */
  NAIVE {
    @Override
    void send(Iterator<OutgoingPiece> pieces, ServerCallStreamObserver<OutgoingPiece> receiver) {
      pieces.forEachRemaining(receiver::onNext);
      receiver.onCompleted();
    }
  },
  /** Hands over while gRPC says that it is ready, and is told when it is again. */
  READY {
    @Override
    void send(Iterator<OutgoingPiece> pieces, ServerCallStreamObserver<OutgoingPiece> receiver) {
      receiver.setOnReadyHandler(() -> {
        while (pieces.hasNext() && receiver.isReady()) {
          receiver.onNext(pieces.next());
          if (!pieces.hasNext()) {
            receiver.onCompleted();
          }
        }
      });
    }
  },
  /** Looks every 10 ms whether gRPC is ready, as Apache Ozone does. */
  POLLED {
    @Override
    void send(Iterator<OutgoingPiece> pieces, ServerCallStreamObserver<OutgoingPiece> receiver) {
      while (pieces.hasNext() && !receiver.isCancelled()) {
        if (receiver.isReady()) {
          receiver.onNext(pieces.next());
        } else {
          LockSupport.parkNanos(POLL_NANOS);
        }
      }
      receiver.onCompleted();
    }
  };

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** Sends all, or as much as is asked for; on a thread of gRPC's pool. */
  abstract void send(
      Iterator<OutgoingPiece> pieces, ServerCallStreamObserver<OutgoingPiece> receiver);
}
