package dev.weir.streams.manifest;

import java.util.List;
import java.util.UUID;

/**
 * A step of the store from one state to the next, all of it or none.
 *
 * @param sequence its place in the log, from 1 on
 * @param nonce tells it from any other that was meant for this place
 * @param epoch of the owner that wrote it
 * @param session the place of the commit with which the writer's process began; its own, if that is
 *     this one
 * @param walPosition everything up to here is in segments: the WAL may be cut
 * @param nextStreamId above the number of every stream so far
 * @param logStart all commits before this one are in manifests
 * @param folded what the stored manifests held when it was written
 * @param segments those that its extents lie in
 */
public record Commit(
    long sequence,
    UUID nonce,
    long epoch,
    long session,
    long walPosition,
    long nextStreamId,
    long logStart,
    FoldedCommits folded,
    List<SegmentEntry> segments,
    List<StreamDelta> deltas,
    List<Replacement> replacements) {
  /** What all keys of commits begin with. */
  public static final String PREFIX = "log/";

  /** Takes copies of the lists. */
  public Commit {
    segments = List.copyOf(segments);
    deltas = List.copyOf(deltas);
    replacements = List.copyOf(replacements);
  }

  /** Whether a process began with it, which it does without changing any stream. */
  public boolean isClaim() {
    return session == sequence;
  }

  /** The key of a commit. */
  public static String key(long sequence) {
    return "%s%016x".formatted(PREFIX, sequence);
  }
}
