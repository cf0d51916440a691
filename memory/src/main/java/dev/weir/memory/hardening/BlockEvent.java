package dev.weir.memory.hardening;

import java.util.List;

/**
 * What happened to a block, as the cause of an error: the message says what and by whom, the stack
 * where. It is never thrown by itself.
 */
@SuppressWarnings("serial") // never written
final class BlockEvent extends Exception {
  BlockEvent(
      String message,
      List<StackTraceElement> stack,
      @org.jspecify.annotations.Nullable BlockEvent before) {
    super(message, before, /* enableSuppression= */ false, /* writableStackTrace= */ true);
    setStackTrace(stack.toArray(StackTraceElement[]::new));
  }

  /** The stack is given, not taken. */
  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
