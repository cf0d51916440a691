package dev.weir.replication.receive;

import dev.weir.replication.transfer.TransferException;

/** A container that is there already, or that somebody else works on. */
public final class TakenException extends TransferException {
  private static final long serialVersionUID = 1;

  /** Refuses it. */
  public TakenException(String message) {
    super(Reason.REFUSED, message, null);
  }
}
