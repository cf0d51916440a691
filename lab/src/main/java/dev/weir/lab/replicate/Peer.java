package dev.weir.lab.replicate;

import dev.weir.lab.grpc.GrpcFlow;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Who copies. */
enum Peer {
  /** The commands of this project. */
  WEIR("weir", /* verifies= */ true, /* tls= */ true, null),
  /** Netty's file regions and chunked files, with its pooled allocator. */
  NETTY("netty", /* verifies= */ false, /* tls= */ true, null),
  /** A pair in C with sendfile. */
  C("c", /* verifies= */ false, /* tls= */ false, null),
  /** The same, with a checksum of all that comes. */
  C_CRC("c+crc", /* verifies= */ true, /* tls= */ false, null),
  /** Nginx, and Netty's receiver. */
  NGINX("nginx", /* verifies= */ false, /* tls= */ true, null),
  /** gRPC with flow control, on Netty's pooled allocator. */
  GRPC("grpc", /* verifies= */ true, /* tls= */ true, GrpcFlow.READY),
  /** The same on Netty's adaptive allocator. */
  GRPC_ADAPTIVE("grpc+adaptive", /* verifies= */ true, /* tls= */ true, GrpcFlow.READY),
  /** The same on Weir's. */
  GRPC_WEIR("grpc+weir", /* verifies= */ true, /* tls= */ true, GrpcFlow.READY),
  /** gRPC that looks every 10 ms whether the receiver takes more. */
  GRPC_POLLED("grpc-polled", /* verifies= */ true, /* tls= */ true, GrpcFlow.POLLED),
  /** gRPC that never looks. */
  GRPC_NAIVE("grpc-naive", /* verifies= */ true, /* tls= */ true, GrpcFlow.NAIVE);

  private final String label;
  private final boolean verifies;
  private final boolean tls;
  private final @Nullable GrpcFlow flow;

  Peer(String label, boolean verifies, boolean tls, @Nullable GrpcFlow flow) {
    this.label = label;
    this.verifies = verifies;
    this.tls = tls;
    this.flow = flow;
  }

  String label() {
    return label;
  }

  boolean verifies() {
    return verifies;
  }

  boolean hasTls() {
    return tls;
  }

  boolean isC() {
    return this == C || this == C_CRC;
  }

  /** Null if it is not gRPC. */
  @Nullable GrpcFlow flow() {
    return flow;
  }

  /** Whether it copies containers of many files, at a rate. */
  boolean isWhole() {
    return this == WEIR || flow != null;
  }

  static Peer of(String label) {
    for (Peer peer : values()) {
      if (peer.label.equals(label)) {
        return peer;
      }
    }
    throw new IllegalArgumentException(
        "'%s' is nobody who copies; there are %s"
            .formatted(
                label, Arrays.stream(values()).map(Peer::label).collect(Collectors.joining(", "))));
  }
}
