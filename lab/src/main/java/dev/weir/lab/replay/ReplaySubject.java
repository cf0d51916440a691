package dev.weir.lab.replay;

import dev.weir.lab.contender.Contender;
import dev.weir.lab.peer.NettyPeer;
import dev.weir.lab.subject.WeirSettings;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A row of a replay: what a trace is replayed against. */
sealed interface ReplaySubject {

  /** The name on the command line and in reports. */
  String label();

  /** An allocator in a JVM of this program. */
  record Own(Contender contender) implements ReplaySubject {
    @Override
    public String label() {
      return contender.label();
    }
  }

  /** Weir with other settings. */
  record WhatIf(WeirSettings settings) implements ReplaySubject {
    @Override
    public String label() {
      return Contender.WEIR.label() + " " + settings.text();
    }

    /** The row that it differs from by its settings. */
    String base() {
      return (settings.dense() ? Contender.WEIR_DENSE : Contender.WEIR).label();
    }
  }

  /** Another version of Netty, with its jars and the Java of its time. */
  record Peer(NettyPeer peer) implements ReplaySubject {
    @Override
    public String label() {
      return peer.label();
    }
  }

  /**
   * Finds one by its label.
   *
   * @throws IllegalArgumentException if there is none; the message lists what there is
   */
  static ReplaySubject of(String label) {
    Optional<Contender> own =
        Arrays.stream(Contender.values()).filter(it -> it.label().equals(label)).findFirst();
    Optional<NettyPeer> peer = peers().filter(it -> it.label().equals(label)).findFirst();
    if (own.isPresent()) {
      return new Own(own.get());
    }
    if (peer.isPresent()) {
      return new Peer(peer.get());
    }
    throw new IllegalArgumentException(
        "no allocator '%s'; there are %s"
            .formatted(
                label,
                Stream.concat(
                        Arrays.stream(Contender.values()).map(Contender::label),
                        peers().map(NettyPeer::label))
                    .collect(Collectors.joining(", "))));
  }

  private static Stream<NettyPeer> peers() {
    return Arrays.stream(NettyPeer.values()).filter(peer -> !peer.isWeir());
  }
}
