package dev.weir.lab.replicate;

/** Who copies. */
enum Peer {
  /** The commands of this project. */
  WEIR("weir", /* verifies= */ true, /* tls= */ true),
  /** Netty's file regions and chunked files, with its pooled allocator. */
  NETTY("netty", /* verifies= */ false, /* tls= */ true),
  /** A pair in C with sendfile. */
  C("c", /* verifies= */ false, /* tls= */ false),
  /** The same, with a checksum of all that comes. */
  C_CRC("c+crc", /* verifies= */ true, /* tls= */ false),
  /** Nginx, and Netty's receiver. */
  NGINX("nginx", /* verifies= */ false, /* tls= */ true);

  private final String label;
  private final boolean verifies;
  private final boolean tls;

  Peer(String label, boolean verifies, boolean tls) {
    this.label = label;
    this.verifies = verifies;
    this.tls = tls;
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

  static Peer of(String label) {
    for (Peer peer : values()) {
      if (peer.label.equals(label)) {
        return peer;
      }
    }
    throw new IllegalArgumentException(
        "'" + label + "' is nobody who copies: weir, netty, c, c+crc or nginx");
  }
}
