package dev.weir.compression.codec;

/** How far an encoder is to go with what it has been given. */
public enum Step {
  /** Takes the input, and writes output when it has enough of it to be compressed well. */
  TAKE,
  /** Writes everything so far, so that the other side can read it; a little larger for it. */
  FLUSH,
  /** Writes everything and the end of the stream. */
  END
}
