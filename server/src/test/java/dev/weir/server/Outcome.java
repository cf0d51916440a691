package dev.weir.server;

import io.netty.handler.codec.http2.Http2Error;

/**
 * What comes of a case: the answer, and the fate of its connection.
 *
 * @param status of the answer; 0 for none
 * @param error that a stream of HTTP/2 is reset with, or its connection is ended with; −1 for none
 */
record Outcome(int status, Fate fate, int error) {
  /** What a client finds that goes on after the answer, or waits for one. */
  enum Fate {
    /** The connection serves the next request. */
    GOES_ON,
    /** The node ends the connection, and says no more on it. */
    ENDS,
    /** The client has left, so that nobody can tell. */
    LEFT
  }

  static final int NONE = -1;

  /** An answer, and the connection goes on. */
  static Outcome answered(int status) {
    return new Outcome(status, Fate.GOES_ON, NONE);
  }

  /** An answer, and the end of the connection. */
  static Outcome last(int status) {
    return new Outcome(status, Fate.ENDS, NONE);
  }

  /** The end of a stream alone, perhaps after an answer. */
  static Outcome reset(int status, Http2Error error) {
    return new Outcome(status, Fate.GOES_ON, (int) error.code());
  }

  /** The end of the connection, which GOAWAY tells of. */
  static Outcome ended(Http2Error error) {
    return new Outcome(0, Fate.ENDS, (int) error.code());
  }

  /** The end of the connection, without a word. */
  static Outcome closed() {
    return new Outcome(0, Fate.ENDS, NONE);
  }

  /** The client leaves. */
  static Outcome left() {
    return new Outcome(0, Fate.LEFT, NONE);
  }
}
