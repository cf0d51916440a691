package dev.weir.streams.protocol;

import java.nio.ByteBuffer;

/** Finds the ends of messages in stored JSON, which is known to be valid. For one thread. */
public final class JsonMessageCounter {
  private long left;
  private long bytes;
  private int depth;
  private boolean inString;
  private boolean escaped;
  private boolean betweenMessages = true;

  /** Looks for the end of {@code messages} messages. */
  public JsonMessageCounter(long messages) {
    this.left = messages;
  }

  /** Goes on with the next bytes; whether the end has been found. */
  public boolean feed(ByteBuffer piece) {
    while (left > 0 && piece.hasRemaining()) {
      accept(piece.get());
      bytes++;
    }
    return left == 0;
  }

  /** Bytes up to the end of the last message, its comma included. */
  public long bytes() {
    return bytes;
  }

  /** Whether the last byte ended a message, or none has come. */
  public boolean isBetweenMessages() {
    return betweenMessages;
  }

  private void accept(byte b) {
    betweenMessages = false;
    if (inString) {
      if (escaped) {
        escaped = false;
      } else if (b == '\\') {
        escaped = true;
      } else if (b == '"') {
        inString = false;
      }
      return;
    }
    switch (b) {
      case '"' -> inString = true;
      case '[', '{' -> depth++;
      case ']', '}' -> depth--;
      case ',' -> {
        if (depth == 0) {
          left--;
          betweenMessages = true;
        }
      }
      default -> {}
    }
  }
}
