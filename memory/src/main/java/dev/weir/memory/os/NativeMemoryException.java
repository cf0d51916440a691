package dev.weir.memory.os;

/**
 * A memory system call failed where nothing but a defect or an exhausted kernel table explains it.
 */
public final class NativeMemoryException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception with a message that names the call, the range and the reason. */
  public NativeMemoryException(String message) {
    super(message);
  }
}
