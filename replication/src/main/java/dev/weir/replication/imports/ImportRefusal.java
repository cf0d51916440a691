package dev.weir.replication.imports;

import java.io.IOException;

/** A request about an import that is refused; the message says why. */
public final class ImportRefusal extends IOException {
  private static final long serialVersionUID = 1;

  /** Why. */
  public enum Why {
    /** The range is not one of whole chunks. */
    RANGE,
    /** There is no place for another import, or another connection brings the same chunk. */
    BUSY,
    /** It has failed, or nobody went on with it: its manifest may be posted again. */
    GONE,
    /** Somebody has cancelled it. */
    CANCELLED,
    /** It is at a step in which that cannot be done. */
    NOT_NOW
  }

  private final Why why;

  ImportRefusal(Why why, String message) {
    super(message);
    this.why = why;
  }

  /** Why. */
  public Why why() {
    return why;
  }
}
