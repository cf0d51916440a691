package dev.weir.replication.receive;

import dev.weir.replication.transfer.Patience;
import dev.weir.replication.transfer.TransferException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A disk that has no room for a container, or none for the next bytes of it. */
public final class NoRoomException extends TransferException {
  private static final long serialVersionUID = 1;

  NoRoomException(String message, @Nullable Throwable cause) {
    super(Reason.REFUSED, message, cause);
  }

  /** A failed write as what it is: of a full disk, or of something else. */
  public static IOException orElse(IOException failure) {
    return Patience.reason(failure).contains("No space left")
        ? new NoRoomException(
            "the disk is full; what has come is kept: free some space, and try again to go on",
            failure)
        : failure;
  }
}
