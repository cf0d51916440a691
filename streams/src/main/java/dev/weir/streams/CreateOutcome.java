package dev.weir.streams;

/** How a creation ended, when the disk did not fail. */
public sealed interface CreateOutcome {
  /** A new stream. */
  record Created(StreamState state) implements CreateOutcome {}

  /** The stream was there, made the same way; the request's bytes were not used. */
  record Exists(StreamState state) implements CreateOutcome {}

  /** The path is taken; {@code reason} says by what, in one line. */
  record Conflict(String reason) implements CreateOutcome {}

  /**
   * The fork has no source, or had none when its point was resolved; {@code reason} says which, in
   * one line.
   */
  record SourceNotFound(String reason) implements CreateOutcome {}

  /** The fork's point does not exist; {@code reason} says why, in one line. */
  record BadForkPoint(String reason) implements CreateOutcome {}
}
