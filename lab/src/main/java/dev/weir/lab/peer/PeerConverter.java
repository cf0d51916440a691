package dev.weir.lab.peer;

import dev.weir.lab.options.Converters;

/** Labels of {@link NettyPeer}. */
public final class PeerConverter extends Converters<NettyPeer> {
  /** Made by picocli. */
  public PeerConverter() {
    super(NettyPeer::of);
  }
}
