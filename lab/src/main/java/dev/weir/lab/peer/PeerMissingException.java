package dev.weir.lab.peer;

import java.io.IOException;

/** What a peer needs is not on this machine. The message is one line that says what to do. */
public final class PeerMissingException extends IOException {
  private static final long serialVersionUID = 1;

  PeerMissingException(String message) {
    super(message);
  }
}
