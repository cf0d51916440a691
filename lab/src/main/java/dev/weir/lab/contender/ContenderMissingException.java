package dev.weir.lab.contender;

/** This machine lacks what a contender needs. The message is one line that says what. */
public final class ContenderMissingException extends Exception {
  private static final long serialVersionUID = 1;

  ContenderMissingException(String message) {
    super(message);
  }
}
